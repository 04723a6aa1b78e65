#include "trellis/transport/connections/forwarder.hpp"

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
#include <functional>
#include <set>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/transport/addresses/address.hpp"
#include "trellis/transport/connections/first_bytes.hpp"
#include "trellis/transport/connections/limited_log.hpp"
#include "trellis/transport/connections/peer_address.hpp"
#include "trellis/transport/connections/pending_connections.hpp"
#include "trellis/transport/streams/close.hpp"
#include "trellis/transport/streams/deadline.hpp"
#include "trellis/transport/streams/wide_area.hpp"

namespace trellis {

namespace {

using asio::use_awaitable;
using Tcp = asio::ip::tcp;

// Longer than sites try to connect, so that a broken path behind the forwarder is silence to them, not a refusal.
constexpr std::chrono::milliseconds time_to_connect_to_site{15'000}, pause_after_failure{10}, pause_until_room{10};
constexpr std::chrono::seconds longest_silence{5};    // before the first bytes
constexpr std::chrono::seconds longest_half_open{2};  // once one end has closed its side
constexpr std::size_t buffer_bytes = 128 << 10;

}  // namespace

class Forwarder::Work {
  public:
    Work(const ForwarderSettings& settings, EventLog log)
        : settings_(settings),
          to_(parse_site(settings.to)),
          log_(std::move(log)),
          peers_log_(std::make_shared<LimitedLog>(io_.get_executor(), log_)),
          pending_(settings.connections) {
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
        peers_log_->flush();
    }

    void stop() { io_.stop(); }

  private:
    // A client and the site to which its connection is forwarded.
    struct Passage {
        explicit Passage(Tcp::socket from)
            : client(std::move(from)), site(client.get_executor()), peer(peer_address(client)) {}

        // Resets both connections, so that both ends see an error; a client without a site sees the end of the stream.
        void reset() {
            asio::error_code ignored;
            const bool has_site = site.is_open();
            for (Tcp::socket* socket : {&client, &site}) {
                if (has_site) ignored = socket->set_option(asio::socket_base::linger(true, 0), ignored);
                close_quietly(*socket);
            }
        }

        // Bytes have been read. A peer that answers the site's first answer, and is answered, belongs here: the site
        // would have ended the connection.
        void note(const Tcp::socket& from) {
            if (&from == &client)
                client_replied_ = site_answered_;
            else if (!std::exchange(site_answered_, true) || !client_replied_)
                return;
            else
                pending->progress = PendingConnection::Progress::proven;
        }

        Tcp::socket client, site;
        const std::string peer;
        std::shared_ptr<PendingConnection> pending;

      private:
        bool site_answered_ = false, client_replied_ = false;
    };

    asio::awaitable<void> accept() {
        asio::steady_timer pause(io_);
        while (acceptor_.is_open()) {
            asio::error_code failure;
            Tcp::socket socket = co_await acceptor_.async_accept(asio::redirect_error(use_awaitable, failure));
            if (failure) {  // the client has disconnected, the acceptor is closed, or too many files are open
                pause.expires_after(pause_after_failure);
                co_await pause.async_wait(use_awaitable);
                continue;
            }
            const auto passage = std::make_shared<Passage>(std::move(socket));
            const std::string address = without_port(passage->peer);
            PendingConnections::Room room = pending_.make_room(address);
            for (; room == PendingConnections::Room::soon; room = pending_.make_room(address)) {
                pause.expires_after(pause_until_room);
                co_await pause.async_wait(use_awaitable);
            }
            if (room == PendingConnections::Room::none) {
                refuse(*passage, std::to_string(settings_.connections) + " connections are open");
                continue;
            }
            passage->pending = pending_.take(address);
            passage->pending->drop = [weak = std::weak_ptr(passage)] {
                if (const auto open = weak.lock()) open->reset();
            };
            passages_.insert(passage);
            asio::co_spawn(io_, carry(passage), asio::detached);
        }
    }

    void refuse(Passage& passage, const std::string& why) {
        peers_log_->note("refused", passage.peer, {{"why", why}});
        passage.reset();
    }

    asio::awaitable<void> carry(std::shared_ptr<Passage> passage) {
        std::string why;
        try {
            co_await await_first_bytes(*passage);
            passage->pending->progress = PendingConnection::Progress::speaking;
            co_await connect_to_site(*passage);
            peers_log_->note("opened", passage->peer);
            co_await pass_both_ways(passage);
            peers_log_->note("closed", passage->peer);
        } catch (const asio::system_error& error) {
            why = error.what();
        }
        if (!passage->pending->why_dropped.empty()) why = passage->pending->why_dropped;
        if (!why.empty()) refuse(*passage, why);
        passage->reset();
        passages_.erase(passage);
    }

    // The site is not troubled by a client that is silent.
    asio::awaitable<void> await_first_bytes(Passage& passage) {
        const Deadline deadline(io_.get_executor(), longest_silence,
                                [pending = passage.pending] { pending->end("it sent nothing for 5 s"); });
        co_await first_bytes(passage.client, first_of_tls);
    }

    // Returns once both ends are closed: soon after the first of them.
    asio::awaitable<void> pass_both_ways(const std::shared_ptr<Passage>& passage) {
        int open = 2;
        asio::steady_timer changed(io_);
        const std::function<void(std::exception_ptr)> done = [&](const std::exception_ptr&) {
            --open;
            changed.cancel();
        };
        asio::co_spawn(io_, pass(passage, passage->client, passage->site), done);
        asio::co_spawn(io_, pass(passage, passage->site, passage->client), done);
        asio::error_code cancelled;
        changed.expires_at(asio::steady_timer::time_point::max());
        while (open == 2) co_await changed.async_wait(asio::redirect_error(use_awaitable, cancelled));
        if (open == 1) {
            changed.expires_after(longest_half_open);
            co_await changed.async_wait(asio::redirect_error(use_awaitable, cancelled));
        }
        passage->reset();
        changed.expires_at(asio::steady_timer::time_point::max());
        while (open > 0) co_await changed.async_wait(asio::redirect_error(use_awaitable, cancelled));
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
                passage->note(from);
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
        try {
            const Deadline deadline(io_.get_executor(), time_to_connect_to_site, [&] { close_quietly(passage.site); });
            co_await asio::async_connect(passage.site, found, use_awaitable);
        } catch (const asio::system_error& error) {
            throw asio::system_error(error.code(), settings_.to);
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
    const std::shared_ptr<LimitedLog> peers_log_;
    PendingConnections pending_;
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
