#include "trellis/transport/connections/forwarder.hpp"

#include <array>
#include <asio/co_spawn.hpp>
#include <asio/connect.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/redirect_error.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <csignal>
#include <set>

#include "trellis/base/error.hpp"
#include "trellis/transport/addresses/address.hpp"
#include "trellis/transport/connections/peer_address.hpp"
#include "trellis/transport/streams/close.hpp"
#include "trellis/transport/streams/deadline.hpp"
#include "trellis/transport/streams/wide_area.hpp"

namespace trellis {

namespace {

using asio::use_awaitable;
using Tcp = asio::ip::tcp;

// Longer than sites try to connect, so that a broken path behind the forwarder is silence to them, not a refusal.
constexpr std::chrono::milliseconds time_to_connect_to_site{15'000}, pause_after_failure{10};
constexpr std::size_t buffer_bytes = 128 << 10;

}  // namespace

class Forwarder::Work {
  public:
    Work(const ForwarderSettings& settings, EventLog log)
        : settings_(settings), to_(parse_site(settings.to)), log_(std::move(log)) {
        if (settings.connections < 1) throw InputError("connections is 0: allowed is 1 or more");
        try {
            acceptor_ = Tcp::acceptor(io_, Tcp::endpoint(asio::ip::make_address(settings.listen), settings.port));
        } catch (const asio::system_error& error) {
            throw InputError("cannot listen on " + settings.listen + ", port " + std::to_string(settings.port) + ": " +
                             error.code().message());
        }
    }

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    void run() {
        signals_.async_wait([this](const asio::error_code& failure, int signal) {
            if (failure) return;
            log_("stopped", {{"signal", std::to_string(signal)}});
            stop();
        });
        asio::co_spawn(io_, accept(), asio::detached);
        io_.run();
        close_quietly(acceptor_);
        for (const auto& passage : passages_) passage->reset();
        io_.restart();
        io_.poll();  // ends coroutines of closed sockets
    }

    void stop() { io_.stop(); }

  private:
    // A client and the site to which its connection is forwarded.
    struct Passage {
        explicit Passage(Tcp::socket from)
            : client(std::move(from)), site(client.get_executor()), peer(peer_address(client)) {}

        // Resets both connections, so that both ends see an error.
        void reset() {
            asio::error_code ignored;
            for (Tcp::socket* socket : {&client, &site}) {
                ignored = socket->set_option(asio::socket_base::linger(true, 0), ignored);
                close_quietly(*socket);
            }
        }

        Tcp::socket client, site;
        const std::string peer;
    };

    asio::awaitable<void> accept() {
        while (acceptor_.is_open()) {
            asio::error_code failure;
            Tcp::socket socket = co_await acceptor_.async_accept(asio::redirect_error(use_awaitable, failure));
            if (failure) {  // the client has disconnected, the acceptor is closed, or too many files are open
                asio::steady_timer pause(io_, pause_after_failure);
                co_await pause.async_wait(use_awaitable);
                continue;
            }
            const auto passage = std::make_shared<Passage>(std::move(socket));
            if (passages_.size() < settings_.connections) {
                passages_.insert(passage);
                asio::co_spawn(io_, carry(passage), asio::detached);
            } else {
                log_("refused", {{"peer", passage->peer},
                                 {"why", std::to_string(settings_.connections) + " connections are open"}});
                passage->reset();
            }
        }
    }

    asio::awaitable<void> carry(std::shared_ptr<Passage> passage) {
        try {
            co_await connect_to_site(*passage);
            log_("opened", {{"peer", passage->peer}});
            int open = 2;
            asio::steady_timer closed(io_, asio::steady_timer::time_point::max());
            const std::function<void(std::exception_ptr)> done = [&](const std::exception_ptr&) {
                if (--open == 0) closed.cancel();
            };
            asio::co_spawn(io_, pass(passage, passage->client, passage->site), done);
            asio::co_spawn(io_, pass(passage, passage->site, passage->client), done);
            asio::error_code cancelled;
            while (open > 0) co_await closed.async_wait(asio::redirect_error(use_awaitable, cancelled));
            log_("closed", {{"peer", passage->peer}});
        } catch (const asio::system_error& error) {
            log_("refused", {{"peer", passage->peer}, {"why", settings_.to + ": " + error.code().message()}});
        }
        passage->reset();
        passages_.erase(passage);
    }

    // Forwards bytes until `from` is closed.
    static asio::awaitable<void> pass(std::shared_ptr<Passage> passage, Tcp::socket& from, Tcp::socket& to) {
        std::vector<char> buffer(buffer_bytes);
        try {
            while (true) {
                asio::error_code end;
                const std::size_t count =
                    co_await from.async_read_some(asio::buffer(buffer), asio::redirect_error(use_awaitable, end));
                if (end == asio::error::eof) break;
                if (end) throw asio::system_error(end);
                co_await asio::async_write(to, asio::buffer(buffer.data(), count), use_awaitable);
            }
            to.shutdown(Tcp::socket::shutdown_send);
        } catch (const asio::system_error&) {
            passage->reset();
        }
    }

    asio::awaitable<void> connect_to_site(Passage& passage) {
        Tcp::resolver resolver(io_);
        const std::string port = std::to_string(to_.port);
        const auto found = co_await resolver.async_resolve(to_.host, port, use_awaitable);
        {
            const Deadline deadline(io_.get_executor(), time_to_connect_to_site, [&] { close_quietly(passage.site); });
            co_await asio::async_connect(passage.site, found, use_awaitable);
        }
        for (Tcp::socket* socket : {&passage.client, &passage.site}) {
            socket->set_option(Tcp::no_delay(true));
            socket->set_option(asio::socket_base::keep_alive(true));
            prepare_for_wide_area(socket->native_handle());
        }
    }

    const ForwarderSettings settings_;
    const Address to_;
    const EventLog log_;
    asio::io_context io_{1};
    asio::signal_set signals_{io_, SIGINT, SIGTERM, SIGHUP};  // from now on, so that no signal before run is lost
    Tcp::acceptor acceptor_{io_};
    std::set<std::shared_ptr<Passage>> passages_;
};

Forwarder::Forwarder(const ForwarderSettings& settings, EventLog log)
    : work_(std::make_shared<Work>(settings, std::move(log))) {}

Forwarder::~Forwarder() = default;

std::uint16_t Forwarder::port() const { return work_->port(); }

void Forwarder::run() { work_->run(); }

void Forwarder::stop() { work_->stop(); }

}  // namespace trellis
