#include "trellis/transport/connections/listener.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <chrono>
#include <list>
#include <utility>

#include "trellis/transport/connections/peer_address.hpp"
#include "trellis/transport/keys/tls.hpp"
#include "trellis/transport/streams/close.hpp"
#include "trellis/transport/streams/deadline.hpp"
#include "trellis/transport/streams/socket_stream.hpp"
#include "trellis/transport/streams/tls_stream.hpp"
#include "trellis/transport/streams/transport_error.hpp"

// Compiled together with other sources, coroutines of lambdas cause this false warning in GCC 12.
#pragma GCC diagnostic ignored "-Wsubobject-linkage"

namespace trellis {

namespace {

using asio::use_awaitable;
using Tcp = asio::ip::tcp;
using Local = asio::local::stream_protocol;

const std::string no_key;  // a peer on this machine shows no key
constexpr int most_handshakes = 64;
constexpr std::chrono::seconds handshake_time{5};
constexpr std::chrono::milliseconds time_after_failure{10};

Tcp::acceptor listen_on(const asio::any_io_executor& executor, const std::string& host, std::uint16_t port) {
    try {
        const auto address = asio::ip::make_address(host);
        Tcp::acceptor acceptor(executor, Tcp::endpoint(address, port));
        return acceptor;
    } catch (const asio::system_error& error) {
        throw InputError("cannot listen on " + host + ", port " + std::to_string(port) + ": " + error.code().message());
    }
}

}  // namespace

// State that the coroutines share with the listener, and that outlives it.
class Listener::Shared : public std::enable_shared_from_this<Listener::Shared> {
  public:
    Shared(asio::any_io_executor executor, Accepted accepted)
        : executor_(std::move(executor)), accepted_(std::move(accepted)) {}

    // Accepts connections. handshake: called with each socket; sets the name of the peer.
    template <class Acceptor, class DoHandshake>
    void accept(Acceptor acceptor, DoHandshake handshake) {
        auto& kept = std::get<std::list<Acceptor>>(acceptors_).emplace_back(std::move(acceptor));
        asio::co_spawn(executor_, accept_all(kept, std::move(handshake), shared_from_this()), asio::detached);
    }

    template <class Acceptor, class DoHandshake>
    static asio::awaitable<void> accept_all(Acceptor& acceptor, DoHandshake handshake, std::shared_ptr<Shared> self) {
        while (acceptor.is_open()) {
            asio::error_code failure;
            auto socket = co_await acceptor.async_accept(asio::redirect_error(use_awaitable, failure));
            if (failure) {  // the peer has disconnected, the acceptor is closed, or too many files are open
                asio::steady_timer pause(self->executor_, time_after_failure);
                co_await pause.async_wait(use_awaitable);
                continue;
            }
            if (self->handshakes_ < most_handshakes)
                asio::co_spawn(self->executor_, self->handshake_one(std::move(socket), handshake, self),
                               asio::detached);
            else
                self->accepted_.refused("unknown", std::to_string(most_handshakes) + " handshakes are under way");
        }
    }

    template <class Socket, class DoHandshake>
    asio::awaitable<void> handshake_one(Socket socket, DoHandshake handshake, std::shared_ptr<Shared> self) {
        ++handshakes_;
        std::string peer = "unknown";
        try {
            co_await handshake(std::move(socket), peer, *self);
        } catch (const asio::system_error& error) {
            self->accepted_.refused(peer, error.code() == asio::error::operation_aborted ? "no handshake within 5 s"
                                                                                         : error.code().message());
        } catch (const std::exception& error) {
            self->accepted_.refused(peer, error.what());
        }
        --handshakes_;
    }

    asio::awaitable<void> handshake(const std::shared_ptr<Stream>& stream, const std::string& fingerprint) {
        const Deadline deadline(executor_, handshake_time, std::bind_front(&Stream::close, stream));
        co_await accepted_.handshake(stream, fingerprint);
    }

    void stop() {
        for (auto& acceptor : std::get<std::list<Tcp::acceptor>>(acceptors_)) close_quietly(acceptor);
        for (auto& acceptor : std::get<std::list<Local::acceptor>>(acceptors_)) close_quietly(acceptor);
        for (const std::string& path : std::exchange(paths_, {})) unlink(path.c_str());
    }

    const asio::any_io_executor& executor() const { return executor_; }
    void remove_at_end(const std::string& path) { paths_.push_back(path); }

  private:
    const asio::any_io_executor executor_;
    const Accepted accepted_;
    std::tuple<std::list<Tcp::acceptor>, std::list<Local::acceptor>> acceptors_;
    std::vector<std::string> paths_;
    int handshakes_ = 0;
};

Listener::Listener(asio::any_io_executor executor, Accepted accepted)
    : shared_(std::make_shared<Shared>(std::move(executor), std::move(accepted))) {}

Listener::~Listener() { stop(); }

void Listener::stop() { shared_->stop(); }

std::uint16_t Listener::listen_tls(const std::string& host, std::uint16_t port, const Identity& identity,
                                   std::function<bool(const std::string& fingerprint)> allowed) {
    Tcp::acceptor acceptor = listen_on(shared_->executor(), host, port);
    const std::uint16_t got = acceptor.local_endpoint().port();
    const auto handshake = [context = tls_context(identity), allowed = std::move(allowed)](
                               Tcp::socket socket, std::string& peer, Shared& shared) -> asio::awaitable<void> {
        peer = peer_address(socket);
        socket.set_option(Tcp::no_delay(true));
        const auto stream = std::make_shared<TlsStream>(std::move(socket), context.get(), peer);
        std::string shown;
        const AcceptKey accept = [&](const std::string& fingerprint) {
            shown = fingerprint;
            return allowed(fingerprint);
        };
        {
            const Deadline deadline(shared.executor(), handshake_time, [&] { stream->close(); });
            try {
                co_await stream->handshake(TlsStream::Side::server, accept);
            } catch (const asio::system_error&) {
                if (!shown.empty() && !allowed(shown)) throw TransportError("the key " + shown + " is not allowed");
                throw;
            }
        }
        co_await shared.handshake(stream, shown);
    };
    shared_->accept(std::move(acceptor), handshake);
    return got;
}

std::uint16_t Listener::listen_plain(std::uint16_t port) {
    Tcp::acceptor acceptor = listen_on(shared_->executor(), "127.0.0.1", port);
    const std::uint16_t got = acceptor.local_endpoint().port();
    shared_->accept(std::move(acceptor),
                    [](Tcp::socket socket, std::string& peer, Shared& shared) -> asio::awaitable<void> {
                        peer = peer_address(socket);
                        socket.set_option(Tcp::no_delay(true));
                        const auto stream = std::make_shared<SocketStream<Tcp::socket>>(std::move(socket), peer);
                        co_await shared.handshake(stream, no_key);
                    });
    return got;
}

void Listener::listen_unix(const std::string& path) {
    struct stat state{};
    if (stat(path.c_str(), &state) == 0) {
        if (!S_ISSOCK(state.st_mode)) throw InputError(path + " is a file: allowed is the path of a new socket");
        asio::error_code failure;
        Local::socket probe(shared_->executor());
        if (!probe.connect(Local::endpoint(path), failure)) throw InputError("another server listens on " + path);
        unlink(path.c_str());
    }
    try {
        const mode_t before = umask(0077);
        Local::acceptor acceptor(shared_->executor(), Local::endpoint(path));
        umask(before);
        shared_->remove_at_end(path);
        shared_->accept(std::move(acceptor),
                        [](Local::socket socket, std::string& peer, Shared& shared) -> asio::awaitable<void> {
                            peer = "this machine";
                            widen(socket.native_handle());
                            const auto stream = std::make_shared<SocketStream<Local::socket>>(std::move(socket), peer);
                            co_await shared.handshake(stream, no_key);
                        });
    } catch (const asio::system_error& error) {
        throw InputError("cannot listen on " + path + ": " + error.code().message());
    }
}

}  // namespace trellis
