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

#include "trellis/transport/connections/first_bytes.hpp"
#include "trellis/transport/connections/peer_address.hpp"
#include "trellis/transport/connections/pending_connections.hpp"
#include "trellis/transport/keys/tls.hpp"
#include "trellis/transport/streams/close.hpp"
#include "trellis/transport/streams/deadline.hpp"
#include "trellis/transport/streams/socket_stream.hpp"
#include "trellis/transport/streams/tls_stream.hpp"

// Compiled together with other sources, coroutines of lambdas cause this false warning in GCC 12.
#pragma GCC diagnostic ignored "-Wsubobject-linkage"

namespace trellis {

namespace {

using asio::use_awaitable;
using Tcp = asio::ip::tcp;
using Local = asio::local::stream_protocol;

const std::string no_key;  // a peer on this machine shows no key
constexpr std::chrono::seconds handshake_time{5};
constexpr std::chrono::milliseconds time_after_failure{10}, time_until_room{10};

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

// A connection during its handshake.
struct Listener::Coming {
    std::string peer;  // for the log
    std::shared_ptr<PendingConnection> pending;
};

// State that the coroutines share with the listener, and that outlives it.
class Listener::Shared : public std::enable_shared_from_this<Listener::Shared> {
  public:
    Shared(asio::any_io_executor executor, Accepted accepted, std::size_t most_handshakes)
        : executor_(std::move(executor)), accepted_(std::move(accepted)), pending_(most_handshakes) {}

    // Accepts connections. handshake: called with the socket of each that has sent its first bytes.
    // first: the first byte of each handshake.
    template <class Acceptor, class DoHandshake>
    void accept(Acceptor acceptor, std::byte first, DoHandshake handshake) {
        auto& kept = std::get<std::list<Acceptor>>(acceptors_).emplace_back(std::move(acceptor));
        asio::co_spawn(executor_, accept_all(kept, first, std::move(handshake), shared_from_this()), asio::detached);
    }

    template <class Acceptor, class DoHandshake>
    static asio::awaitable<void> accept_all(Acceptor& acceptor, std::byte first, DoHandshake handshake,
                                            std::shared_ptr<Shared> self) {
        asio::steady_timer pause(self->executor_);
        while (acceptor.is_open()) {
            asio::error_code failure;
            auto socket = co_await acceptor.async_accept(asio::redirect_error(use_awaitable, failure));
            if (failure) {  // the peer has disconnected, the acceptor is closed, or too many files are open
                pause.expires_after(time_after_failure);
                co_await pause.async_wait(use_awaitable);
                continue;
            }
            Coming coming{name_of(socket), nullptr};
            const std::string address = without_port(coming.peer);
            while (self->pending_.make_room(address) != PendingConnections::Room::free) {
                pause.expires_after(time_until_room);
                co_await pause.async_wait(use_awaitable);
            }
            coming.pending = self->pending_.take(address);
            asio::co_spawn(self->executor_,
                           self->handshake_one(std::move(socket), first, handshake, std::move(coming), self),
                           asio::detached);
        }
    }

    static std::string name_of(const Tcp::socket& socket) { return peer_address(socket); }
    static std::string name_of(const Local::socket& /*socket*/) { return "this machine"; }

    template <class Socket, class DoHandshake>
    asio::awaitable<void> handshake_one(Socket socket, std::byte first, DoHandshake handshake, Coming coming,
                                        std::shared_ptr<Shared> self) {
        coming.pending->drop = [&socket] { close_quietly(socket); };
        const Deadline deadline(executor_, handshake_time,
                                [pending = coming.pending] { pending->end("no handshake within 5 s"); });
        std::string why;
        try {
            co_await first_bytes(socket, first);
            coming.pending->progress = PendingConnection::Progress::speaking;
            co_await handshake(std::move(socket), coming, *self);
        } catch (const asio::system_error& error) {
            why = error.code().message();
        } catch (const std::exception& error) {
            why = error.what();
        }
        coming.pending->drop = nullptr;
        if (!why.empty()) refused(coming, why);
    }

    void refused(const Coming& coming, const std::string& why) const {
        const std::string& dropped = coming.pending->why_dropped;
        accepted_.refused(coming.peer, dropped.empty() ? why : dropped);
    }

    asio::awaitable<void> handshake(const std::shared_ptr<Stream>& stream, const std::string& fingerprint,
                                    const Coming& coming) {
        coming.pending->drop = [stream] { stream->close(); };
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
    PendingConnections pending_;
};

Listener::Listener(asio::any_io_executor executor, Accepted accepted, std::size_t most_handshakes)
    : shared_(std::make_shared<Shared>(std::move(executor), std::move(accepted), most_handshakes)) {}

Listener::~Listener() { stop(); }

void Listener::stop() { shared_->stop(); }

std::uint16_t Listener::listen_tls(const std::string& host, std::uint16_t port, const Identity& identity,
                                   std::function<bool(const std::string& fingerprint)> allowed) {
    Tcp::acceptor acceptor = listen_on(shared_->executor(), host, port);
    const std::uint16_t got = acceptor.local_endpoint().port();
    const auto handshake = [context = tls_context(identity), allowed = std::move(allowed)](
                               Tcp::socket socket, const Coming& coming, Shared& shared) -> asio::awaitable<void> {
        socket.set_option(Tcp::no_delay(true));
        const auto stream = std::make_shared<TlsStream>(std::move(socket), context.get(), coming.peer);
        coming.pending->drop = [&] { stream->close(); };
        std::string shown, refusal;
        const AcceptKey accept = [&](const std::string& fingerprint) {
            shown = fingerprint;
            try {
                if (allowed(fingerprint)) return true;
                refusal = "the key " + fingerprint + " is not allowed";
                return false;
            } catch (const std::exception& unreadable) {
                refusal = unreadable.what();
                throw;
            }
        };
        try {
            co_await stream->handshake(TlsStream::Side::server, accept);
        } catch (const asio::system_error&) {
            if (refusal.empty()) throw;
        }
        if (refusal.empty()) co_return co_await shared.handshake(stream, shown, coming);
        shared.refused(coming, refusal);
        co_await stream->end_refused();
    };
    shared_->accept(std::move(acceptor), first_of_tls, handshake);
    return got;
}

std::uint16_t Listener::listen_plain(std::uint16_t port) {
    Tcp::acceptor acceptor = listen_on(shared_->executor(), "127.0.0.1", port);
    const std::uint16_t got = acceptor.local_endpoint().port();
    shared_->accept(std::move(acceptor), first_of_frame,
                    [](Tcp::socket socket, const Coming& coming, Shared& shared) -> asio::awaitable<void> {
                        socket.set_option(Tcp::no_delay(true));
                        const auto stream = std::make_shared<SocketStream<Tcp::socket>>(std::move(socket), coming.peer);
                        co_await shared.handshake(stream, no_key, coming);
                    });
    return got;
}

void Listener::listen_unix(const std::string& path) {
    // an empty path would be a socket that all users of this machine can reach
    if (path.empty()) throw InputError("the path of the Unix socket is empty: allowed is the path of a new socket");
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
        shared_->accept(std::move(acceptor), first_of_frame,
                        [](Local::socket socket, const Coming& coming, Shared& shared) -> asio::awaitable<void> {
                            widen(socket.native_handle());
                            const auto stream =
                                std::make_shared<SocketStream<Local::socket>>(std::move(socket), coming.peer);
                            co_await shared.handshake(stream, no_key, coming);
                        });
    } catch (const asio::system_error& error) {
        throw InputError("cannot listen on " + path + ": " + error.code().message());
    }
}

}  // namespace trellis
