#include "trellis/devices/remote/client/server_connection.hpp"

#include <openssl/crypto.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <cstdlib>
#include <functional>
#include <future>
#include <utility>

#include "trellis/devices/remote/open.hpp"
#include "trellis/transport/connections/connect.hpp"
#include "trellis/transport/keys/identity.hpp"
#include "trellis/transport/streams/deadline.hpp"
#include "trellis/transport/streams/network_thread.hpp"
#include "trellis/transport/streams/tls_stream.hpp"

namespace trellis {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds between_heartbeats{250}, longest_silence{1000}, between_attempts{250};
constexpr milliseconds longest_close{500};
constexpr milliseconds time_to_welcome{5000}, time_for_passwords{60000};

constexpr const char* why_inherited = "it was opened by the process that this one was forked from; open it again here";

std::string user_and_host() {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    const char* user = std::getenv("USER");
    return std::string(user == nullptr ? "unknown" : user) + "@" + host.data();
}

milliseconds time_until(Session::Clock::time_point end) {
    return std::chrono::ceil<milliseconds>(end - Session::Clock::now());
}

// Why a server may have closed a connection before its welcome.
const char* may_have_closed(const Address& address) {
    if (address.kind == AddressKind::tls) return "it has no room, is ending, or does not allow the key of this machine";
    if (address.kind == AddressKind::plain) return "it has no room, is ending, or requires TLS (trellis://)";
    return "it has no room, or is ending";
}

// Sends a close notice to the server, then calls back, after longest_close at the latest.
void send_close(const std::shared_ptr<Session>& session, std::function<void()> closed) {
    const auto end = [weak = std::weak_ptr(session)] {
        if (const auto late = weak.lock()) late->end();
    };
    const auto deadline = std::make_shared<Deadline>(network().get_executor(), longest_close, end);
    session->send_close([deadline, closed = std::move(closed)] { closed(); });
}

// Never released: an inherited session must not be.
struct Known {
    std::mutex mutex;
    std::map<std::tuple<pid_t, std::string, milliseconds>, std::weak_ptr<ServerConnection>> connections;
    std::vector<std::shared_ptr<Session>> inherited;  // from the process that this one was forked from
};
Known& known() {
    static Known& all = *new Known;
    return all;
}

}  // namespace

std::shared_ptr<ServerConnection> ServerConnection::to(const Address& address, milliseconds grace) {
    const std::scoped_lock lock(known().mutex);
    auto& kept = known().connections[{getpid(), address.server(), grace}];
    if (auto present = kept.lock(); present != nullptr && !present->dead_ && present->devices_ < wire::most_devices) {
        ++present->devices_;
        return present;
    }
    const std::shared_ptr<ServerConnection> connection(new ServerConnection(address, grace));
    run_on_network(connection->open());
    add_network_user(connection);
    asio::co_spawn(network(), watch(connection), asio::detached);
    kept = connection;
    return connection;
}

// The session belongs to the network's thread. Waits for the close notice, since the program may end now, and the
// server would keep the client's memory for the time of grace.
ServerConnection::~ServerConnection() {
    if (session_ == nullptr || dead_) return;
    if (is_of_parent()) {  // which goes on with the session
        const std::scoped_lock lock(known().mutex);
        known().inherited.push_back(std::move(session_));
        return;
    }
    const auto closed = std::make_shared<std::promise<void>>();
    auto future = closed->get_future();
    asio::post(network(),
               [session = std::move(session_), closed] { send_close(session, [closed] { closed->set_value(); }); });
    if (!network().get_executor().running_in_this_thread()) future.wait_for(longest_close);
}

std::uint32_t ServerConnection::add(std::weak_ptr<AnswerReceiver> receiver) {
    const std::scoped_lock lock(mutex_);
    receivers_[++last_device_] = std::move(receiver);
    return last_device_;
}

void ServerConnection::remove(std::uint32_t device) {
    const std::scoped_lock lock(mutex_);
    devices_ -= receivers_.erase(device);
}

std::shared_ptr<AnswerReceiver> ServerConnection::receiver_of(std::uint32_t device) {
    const std::scoped_lock lock(mutex_);
    const auto found = receivers_.find(device);
    return found == receivers_.end() ? nullptr : found->second.lock();
}

void ServerConnection::send(Frame frame) {
    {
        const std::scoped_lock lock(sending_);
        gathered_.push_back(std::move(frame));
    }
    MessageBatch::send(shared_from_this());
}

void ServerConnection::send_gathered() {
    {
        const std::scoped_lock lock(sending_);
        if (gathered_.empty() || std::exchange(leaving_, true)) return;
    }
    asio::post(network(), [self = shared_from_this()] { self->take_gathered(); });
}

void ServerConnection::take_gathered() {
    {
        const std::scoped_lock lock(sending_);
        leaving_ = false;
        leaving_frames_.swap(gathered_);
    }
    for (Frame& frame : leaving_frames_) {
        if (!dead_ && !is_of_parent())
            session_->send(std::move(frame));
        else if (const auto receiver = receiver_of(frame.header.device))
            receiver->lost(dead_ ? why_lost_ : why_inherited);
    }
    leaving_frames_.clear();
}

// Connects for the first time. A server that has no room is tried again within the grace.
asio::awaitable<void> ServerConnection::open() {
    const auto self = shared_from_this();
    session_ = std::make_shared<Session>(co_await asio::this_coro::executor, weak_from_this());
    const auto end = Session::Clock::now() + grace_;
    asio::steady_timer timer(network());
    while (true) {
        try {
            const std::shared_ptr<Stream> stream = co_await connect(address_);
            co_await handshake(stream, address_.kind == AddressKind::ssh ? time_for_passwords : time_to_welcome);
            co_return;
        } catch (const ServerBusy&) {
            if (time_until(end) <= between_attempts) throw;
        }
        timer.expires_after(between_attempts);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

// Carries out the handshake over a new connection and continues the session. Throws RunError if the server does not
// know the session any more.
asio::awaitable<void> ServerConnection::handshake(std::shared_ptr<Stream> stream, milliseconds time) {
    const bool first = key_ == SessionKey{};
    const Deadline deadline(co_await asio::this_coro::executor, time, std::bind_front(&Stream::close, stream));
    // a named variable, since GCC 12 destroys temporaries of a co_await twice
    const Hello hello{user_and_host(), key_, session_->received(), grace_};
    Welcome welcome;
    try {
        co_await send_hello(*stream, hello);
        welcome = co_await receive_welcome(*stream);
    } catch (const InputError& refusal) {
        if (first) throw;
        throw ServerGone(refusal.what());
    } catch (const asio::system_error& error) {
        throw_no_welcome(error.code());
    }
    key_ = welcome.session;
    session_->attach(std::move(stream), first ? 0 : welcome.received);
    asking_ = false;
}

// Throws the error for a server that has ended the connection instead of sending its welcome.
void ServerConnection::throw_no_welcome(const asio::error_code& error) const {
    const std::string server = address_.server();
    if (address_.kind == AddressKind::ssh)
        throw TransportError(server +
                             " has ended; is `trellis` on the PATH of a command there? If not, set "
                             "TRELLIS_REMOTE to its path");
    const std::string remedy =
        address_.kind != AddressKind::tls
            ? ""
            : "; run there: trellis keys allow " + user_and_host() + " " + identity_in(keys_folder()).fingerprint;
    if (refuses_key(error)) throw InputError(server + " does not allow the key of this machine" + remedy);
    if (has_closed(error))
        throw ConnectionClosed(server + " has closed the connection before its welcome: " + may_have_closed(address_) +
                               remedy);
    throw TransportError(server + " does not answer: " + error.message());
}

SessionUser::Destination ServerConnection::destination_of(const FrameHeader& header, std::vector<std::byte> body) {
    if (header.type != FrameType::answers) throw TransportError("a server may send answers only");
    const std::shared_ptr<AnswerReceiver> receiver = receiver_of(header.device);
    answers_.clear();
    destinations_.clear();
    std::uint64_t bytes = 0;
    for (ByteReader reader(body); !reader.at_end();) {
        answers_.push_back(wire::get_answer(reader));
        const auto* downloaded = std::get_if<wire::Downloaded>(&answers_.back());
        if (downloaded == nullptr || receiver == nullptr) continue;
        const auto destination = receiver->destination_of(*downloaded);
        destinations_.emplace_back(destination.data(), destination.size());
        bytes += destination.size();
    }
    if (receiver == nullptr) {  // the device has been closed meanwhile
        dropped_.resize(header.data_bytes);
        destinations_.emplace_back(dropped_.data(), dropped_.size());
    } else if (bytes != header.data_bytes) {
        throw TransportError("answer length differs from its header");
    }
    return {destinations_, receiver};
}

void ServerConnection::taken(const FrameHeader& header) {
    dropped_ = {};
    if (const std::shared_ptr<AnswerReceiver> receiver = receiver_of(header.device))
        for (const wire::Answer& answer : answers_) receiver->answered(answer);
    session_->consume(header.body_bytes + header.data_bytes);
}

void ServerConnection::lost(const std::string& why, bool broken_rules) {
    if (broken_rules || address_.kind == AddressKind::ssh) return give_up(why);
    asio::co_spawn(network(), reconnect(why), asio::detached);
}

// Reconnects until the grace is over, which counts from the time at which the server last acknowledged what it was
// asked: a network may lose long frames, and no handshake. A server that refuses, or has been restarted, has lost the
// session.
asio::awaitable<void> ServerConnection::reconnect(std::string why) {
    const auto self = shared_from_this();
    const auto stalled = std::max<Session::Clock::duration>(session_->unanswered() - longest_silence, {});
    const auto end = Session::Clock::now() + grace_ - stalled;
    asio::steady_timer timer(network());
    while (!dead_ && time_until(end) > milliseconds::zero()) {
        try {
            const std::shared_ptr<Stream> stream = co_await connect(address_, time_until(end));
            co_await handshake(stream, std::min(time_to_welcome, time_until(end)));
            co_return;
        } catch (const ServerGone& error) {
            co_return give_up(why + "; " + error.what());
        } catch (const std::exception& error) {
            why = error.what();
        }
        timer.expires_after(between_attempts);
        co_await timer.async_wait(asio::use_awaitable);
    }
    give_up("silent for " + seconds_text(grace_) + ": " + why);
}

asio::awaitable<void> ServerConnection::watch(std::weak_ptr<ServerConnection> weak) {
    asio::steady_timer timer(network());
    while (true) {
        timer.expires_after(between_heartbeats);
        co_await timer.async_wait(asio::use_awaitable);
        const auto self = weak.lock();
        if (self == nullptr || self->dead_) co_return;
        if (self->session_->attached()) self->ask(Session::Clock::now());
    }
}

// Asks the server for a heartbeat if a thread waits for it, or the last one has not been answered.
void ServerConnection::ask(Session::Clock::time_point now) {
    if (asking_ && session_->silence() < now - asked_) asking_ = false;
    if (asking_ && now - asked_ > longest_silence) {
        asking_ = false;
        session_->detach();
        lost("nothing was received for a second", false);
        return;
    }
    if (waiting_ == 0 && !asking_) return;
    if (!asking_) asked_ = now;
    asking_ = true;
    session_->heartbeat(true);
}

void ServerConnection::give_up(const std::string& why) {
    session_->end();
    why_lost_ = why;
    dead_ = true;
    std::vector<std::shared_ptr<AnswerReceiver>> receivers;
    {
        const std::scoped_lock lock(mutex_);
        for (const auto& [device, receiver] : receivers_) receivers.push_back(receiver.lock());
    }
    for (const auto& receiver : receivers)
        if (receiver != nullptr) receiver->lost(why);
}

void ServerConnection::network_ends(std::shared_ptr<void> busy) {
    if (dead_) return;
    const auto closed = [self = shared_from_this(), busy = std::move(busy)] { self->give_up("the program ends"); };
    send_close(session_, closed);
}

std::string network_library() {
    const std::string all = OpenSSL_version(OPENSSL_VERSION);  // with a date
    return all.substr(0, all.find(' ', all.find(' ') + 1));
}

}  // namespace trellis
