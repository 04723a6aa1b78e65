#include "trellis/devices/server/server.hpp"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <csignal>
#include <map>

#include "trellis/devices/remote/open.hpp"
#include "trellis/devices/server/descriptors.hpp"
#include "trellis/devices/server/discard_thread.hpp"
#include "trellis/devices/server/served_client.hpp"
#include "trellis/transport/connections/limited_log.hpp"
#include "trellis/transport/connections/listener.hpp"
#include "trellis/transport/keys/known_keys.hpp"
#include "trellis/transport/streams/deadline.hpp"
#include "trellis/transport/streams/pipe_stream.hpp"

namespace trellis {

namespace {

constexpr std::size_t most_clients = 4096;
constexpr std::chrono::milliseconds between_checks{500}, shortest_silence{2000};

}  // namespace

// The executor and the objects of its thread.
class Server::Work : public std::enable_shared_from_this<Server::Work> {
  public:
    Work(const ServerSettings& settings, EventLog log)
        : settings_(settings),
          log_(std::move(log)),
          devices_(settings.devices, settings.memory, settings.isolated, settings.begun),
          refusals_(std::make_shared<LimitedLog>(io_.get_executor(), log_)),
          shares_(share_descriptors(Listener::usual_handshakes, most_clients)),
          listener_(io_.get_executor(),
                    {[this](std::shared_ptr<Stream> stream, std::string fingerprint) {
                         return handshake(std::move(stream), std::move(fingerprint));
                     },
                     [this](const std::string& peer, const std::string& why) {
                         refusals_->note("refused", peer, {{"why", why}});
                     }},
                    shares_.handshakes) {}

    Listener& listener() { return listener_; }

    void serve_pipes(int from, int to) {
        ends_with_client_ = true;
        const auto stream = pipe_stream(io_.get_executor(), from, to);
        asio::co_spawn(io_, handshake(stream, ""), [this](const std::exception_ptr& failure) {
            if (failure != nullptr) stop();
        });
    }

    void run() {
        signals_.async_wait([this](const asio::error_code& failure, int signal) {
            if (failure) return;
            log_("stopped", {{"signal", std::to_string(signal)}});
            stop();
        });
        const auto guard = asio::make_work_guard(io_);
        if (!ends_with_client_) watch();  // ssh checks its connection itself
        io_.run();
        listener_.stop();
        const auto clients = std::move(clients_);
        for (const auto& [key, client] : clients) client->end();
        io_.restart();
        io_.poll();  // ends coroutines of closed sockets
        discard_.finish();
        io_.poll();
        refusals_->flush();
    }

    void stop() { io_.stop(); }

  private:
    asio::awaitable<void> handshake(std::shared_ptr<Stream> stream, std::string fingerprint) {
        const Hello hello = co_await receive_hello(*stream);
        const auto found = clients_.find(hello.session);
        const bool known = found != clients_.end() && found->second->facts().fingerprint == fingerprint;
        const bool forgotten = !known && hello.session != SessionKey{};
        if (forgotten || (!known && clients_.size() >= shares_.clients)) {
            const std::string refusal =
                forgotten ? "it does not know the session: it was restarted"
                          : "it serves " + std::to_string(clients_.size()) + " clients, which is its limit" +
                                (shares_.clients < most_clients ? ", since it may open few files (ulimit -n)" : "");
            co_await send_refusal(*stream, refusal, !forgotten);
            throw TransportError(refusal);
        }
        const auto client = known ? found->second : new_client(hello, fingerprint);
        // logged before attach, which carries out and logs calls that the client has sent already
        const auto log = [&](const std::string& event) {
            log_(event, {{"session", session_of(client->facts())},
                         {"client", client->facts().who},
                         {"peer", stream->peer()},
                         {"key", fingerprint.empty() ? "none" : fingerprint}});
        };
        if (known) {
            client->session().detach();
            try {
                co_await welcome(*stream, *client, client->session().received());
                if (!clients_.contains(client->facts().key)) throw TransportError("it reconnected too late");
                log("resumed");
                client->attach(stream, hello.received);
            } catch (const std::exception& error) {
                if (clients_.contains(client->facts().key)) lost(*client, error.what(), false);
                throw;
            }
        } else {
            co_await welcome(*stream, *client, 0);
            clients_[client->facts().key] = client;
            log("opened");
            client->attach(stream, 0);
        }
    }

    static asio::awaitable<void> welcome(Stream& stream, ServedClient& client, std::uint64_t received) {
        const Welcome welcome{client.facts().key, received};
        co_await send_welcome(stream, welcome);
    }

    std::shared_ptr<ServedClient> new_client(const Hello& hello, const std::string& fingerprint) {
        const auto discard = [this](std::shared_ptr<void> object) { discard_.discard(std::move(object)); };
        const auto lost = [this](ServedClient& client, const std::string& why, bool for_good) {
            this->lost(client, why, for_good);
        };
        const auto leased = [this](const ServedClient::Facts& client, const std::string& device, std::uint64_t memory,
                                   bool opened) {
            log_(opened ? "lent" : "returned", {{"session", session_of(client)},
                                                {"client", client.who},
                                                {"device", device},
                                                {"memory", std::to_string(memory)}});
        };
        return std::make_shared<ServedClient>(
            ServedClient::Server{io_.get_executor(), devices_, unread_answers_, discard, lost, leased},
            ServedClient::Facts{++sessions_, random_session_key(), hello.who, fingerprint,
                                std::clamp(hello.grace, std::chrono::milliseconds::zero(), longest_grace)});
    }

    static std::string session_of(const ServedClient::Facts& client) { return std::to_string(client.number); }

    // Checks all clients from time to time: a connection whose other end has vanished breaks only when it is used.
    void watch() {
        watch_.expires_after(between_checks);
        watch_.async_wait([this](const asio::error_code& stopped) {
            if (stopped) return;
            const auto clients = clients_;
            for (const auto& [key, client] : clients) check(*client);
            watch();
        });
    }

    // Asks a client for a heartbeat after half of its longest silence, and ends its connection after all of it.
    void check(ServedClient& client) {
        Session& session = client.session();
        if (!session.attached()) return;
        const auto time = std::max(client.facts().grace, shortest_silence);
        if (session.silence() > time) {
            session.detach();
            lost(client, "nothing was received", false);
        } else if (session.silence() > time / 2) {
            session.heartbeat(true);
        }
    }

    // Closes the session of a client that broke the rules. Other clients may reconnect within the grace.
    void lost(ServedClient& client, const std::string& why, bool broken_rules) {
        if (broken_rules || ends_with_client_) return close(client, why);
        const ServedClient::Facts& facts = client.facts();
        log_("waiting",
             {{"session", session_of(facts)}, {"client", facts.who}, {"why", why}, {"for", seconds_text(facts.grace)}});
        const auto timer = std::make_shared<asio::steady_timer>(io_, facts.grace);
        timer->async_wait([this, timer, key = facts.key](const asio::error_code&) {
            const auto found = clients_.find(key);
            if (found == clients_.end() || found->second->session().attached()) return;
            if (found->second->session().silence() >= found->second->facts().grace)
                close(*found->second, "did not reconnect");
        });
    }

    void close(ServedClient& client, const std::string& why) {
        const auto found = clients_.find(client.facts().key);
        if (found == clients_.end()) return;
        const std::shared_ptr<ServedClient> held = found->second;
        clients_.erase(found);
        held->end();
        log_("closed", {{"session", session_of(held->facts())}, {"client", held->facts().who}, {"why", why}});
        if (ends_with_client_) stop();
    }

    const ServerSettings settings_;
    const EventLog log_;
    asio::io_context io_{1};
    asio::steady_timer watch_{io_};
    asio::signal_set signals_{io_, SIGINT, SIGTERM, SIGHUP};  // from now on, so that no signal before run is lost
    LentDevices devices_;
    DiscardThread discard_;
    std::map<SessionKey, std::shared_ptr<ServedClient>> clients_;
    std::uint64_t sessions_ = 0;  // opened so far
    bool ends_with_client_ = false;
    const std::shared_ptr<UnreadAnswers> unread_answers_ = std::make_shared<UnreadAnswers>();
    const std::shared_ptr<LimitedLog> refusals_;
    const DescriptorShares shares_;
    Listener listener_;
};

Server::Server(const ServerSettings& settings, EventLog log)
    : work_(std::make_shared<Work>(settings, std::move(log))) {}

Server::~Server() = default;

std::uint16_t Server::listen_tls(const std::string& host, std::uint16_t port) {
    const std::filesystem::path folder = keys_folder();
    // the list is read at each connection, so that a key can be allowed while the server runs
    const auto allowed = [list = KnownKeys(folder, KnownKeys::List::allowed)](const std::string& fingerprint) {
        for (const KnownKey& key : list.read())
            if (key.fingerprint == fingerprint) return true;
        return false;
    };
    return work_->listener().listen_tls(host, port, identity_in(folder), allowed);
}

std::uint16_t Server::listen_plain(std::uint16_t port) { return work_->listener().listen_plain(port); }

void Server::listen_unix(const std::string& path) { work_->listener().listen_unix(path); }

void Server::serve_pipes(int from, int to) { work_->serve_pipes(from, to); }

std::string Server::fingerprint() { return identity_in(keys_folder()).fingerprint; }

void Server::run() { work_->run(); }

void Server::stop() { work_->stop(); }

}  // namespace trellis
