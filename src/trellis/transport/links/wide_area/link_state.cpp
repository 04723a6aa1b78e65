#include "trellis/transport/links/wide_area/link_state.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <future>
#include <utility>

#include "trellis/transport/streams/wide_area.hpp"

namespace trellis {

namespace {

constexpr std::uint32_t usual_chunk = 256 << 10;  // bytes
constexpr std::chrono::seconds longest_close{2};  // once the peer has sent its close notice

}  // namespace

LinkState::LinkState(asio::any_io_executor executor, Facts facts)
    : executor_(std::move(executor)),
      facts_(std::move(facts)),
      outbox_(facts_.choice.chunk.value_or(usual_chunk), facts_.memory / 2),
      inbox_(facts_.memory / 2),
      pace_(facts_.choice, largest_window()),
      tokens_(Clock::now()),
      refill_(executor_),
      liveness_(facts_.grace, Clock::now()) {}

// No message is sent or will arrive any more. The caller has locked the mutex, as for the next two functions.
bool LinkState::ended() const {
    return status_ == LinkStatus::failed || status_ == LinkStatus::closed || status_ == LinkStatus::peer_left;
}

void LinkState::throw_ended() const {
    if (status_ == LinkStatus::failed) throw RunError("the site " + facts_.peer + " is lost: " + failure_);
    if (status_ == LinkStatus::closed) throw RunError("the link to the site " + facts_.peer + " is closed");
    throw RunError("the site " + facts_.peer + " has left, and sends no more");
}

void LinkState::note_streams() {
    traffic_.streams = streams_.count();
    if (status_ == LinkStatus::connecting || status_ == LinkStatus::open)
        status_ = streams_.empty() ? LinkStatus::connecting : LinkStatus::open;
}

// True also of a link that has ended, so that the caller finds out by send.
bool LinkState::has_room() const {
    const std::scoped_lock lock(mutex_);
    return outbox_.has_room() || ended();
}

void LinkState::send(LinkTag tag, std::vector<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return outbox_.has_room() || ended(); });
    if (ended()) throw_ended();
    ++traffic_.messages_sent;
    traffic_.bytes_sent += bytes.size();
    outbox_.add(tag, std::move(bytes));
    lock.unlock();
    wake_streams();
}

std::optional<std::vector<std::byte>> LinkState::take(LinkTag tag) {
    std::unique_lock lock(mutex_);
    auto taken = inbox_.take(tag);
    if (taken) {
        ++traffic_.messages_received;
        traffic_.bytes_received += taken->size();
    } else if (ended()) {
        throw_ended();
    }
    lock.unlock();
    report_room();
    return taken;
}

bool LinkState::has(LinkTag tag) const {
    const std::scoped_lock lock(mutex_);
    if (inbox_.has(tag)) return true;
    if (ended()) throw_ended();
    return false;
}

std::vector<std::byte> LinkState::receive(LinkTag tag) {
    while (true) {
        if (auto taken = take(tag)) return std::move(*taken);
        std::unique_lock lock(mutex_);
        inbox_.begin_wait();
        changed_.wait(lock, [&] { return inbox_.has(tag) || ended(); });
        inbox_.end_wait();
    }
}

LinkTraffic LinkState::traffic() const {
    const std::scoped_lock lock(mutex_);
    return traffic_;
}

bool LinkState::wait_for_peer(Clock::time_point end) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, end, [&] { return status_ != LinkStatus::connecting; });
    if (status_ == LinkStatus::failed) throw_ended();
    return status_ != LinkStatus::connecting;
}

// Waits until the peer has received everything, the close notice as well. A peer that has left needs no close notice.
void LinkState::close() {
    {
        std::unique_lock lock(mutex_);
        if (status_ == LinkStatus::closed) return;
        if (status_ != LinkStatus::failed) {
            outbox_.add_close();
            if (status_ != LinkStatus::peer_left) status_ = LinkStatus::closing;
            lock.unlock();
            wake_streams();
            lock.lock();
            changed_.wait(lock, [&] { return outbox_.empty() || ended(); });
            if (status_ == LinkStatus::peer_left)
                changed_.wait_for(lock, longest_close, [&] {
                    return outbox_.empty() || status_ != LinkStatus::peer_left || traffic_.streams == 0;
                });
        }
        if (status_ != LinkStatus::failed) status_ = LinkStatus::closed;
        changed_.notify_all();
    }
    abandon();
}

void LinkState::abandon() {
    const auto closed = std::make_shared<std::promise<void>>();
    auto future = closed->get_future();
    asio::post(executor_, [self = shared_from_this(), closed] {
        {
            const std::scoped_lock lock(self->mutex_);
            if (self->status_ != LinkStatus::failed) self->status_ = LinkStatus::closed;
        }
        self->close_streams();
        closed->set_value();
    });
    future.wait_for(longest_close);
}

// Many messages need one wake-up.
void LinkState::wake_streams() {
    if (wake_posted_.exchange(true)) return;
    asio::post(executor_, [self = shared_from_this()] {
        self->wake_posted_ = false;
        self->streams_.wake_all();
    });
}

// Reports room to the peer once it has grown by an eighth of the memory; less of it is reported with other frames.
void LinkState::report_room() {
    {
        const std::scoped_lock lock(mutex_);
        if (inbox_.granted() - reported_room_ < facts_.memory / 16) return;
    }
    if (room_posted_.exchange(true)) return;
    asio::post(executor_, [self = shared_from_this()] {
        self->room_posted_ = false;
        self->streams_.send_heartbeat();
    });
}

void LinkState::attach(std::shared_ptr<Stream> stream, std::uint64_t received, std::uint64_t granted,
                       bool opened_here) {
    if (over()) return stream->close();
    {
        const std::scoped_lock lock(mutex_);
        outbox_.acknowledge(received, granted);
    }
    prepare_for_wide_area(stream->handle());
    streams_.add(executor_, std::move(stream), opened_here, shared_from_this());
    liveness_.connected(Clock::now());
    {
        const std::scoped_lock lock(mutex_);
        note_streams();
    }
    changed_.notify_all();
}

// All streams together are limited to the rate of the link: so the others make up for one that is slow.
std::optional<Outbox::Chunk> LinkState::next_chunk(std::uint64_t stream) {
    const bool allowed = tokens_.fill(Clock::now(), pace_.limit());
    const std::scoped_lock lock(mutex_);
    if (!outbox_.has_next()) return std::nullopt;
    if (!allowed) {
        wait_for_tokens();
        return std::nullopt;
    }
    std::optional<Outbox::Chunk> chunk = outbox_.next(stream);
    if (chunk) tokens_.spend(cost_of(chunk->data.size()));
    return chunk;
}

void LinkState::wait_for_tokens() {
    if (refill_.expiry() > Clock::now()) return;
    refill_.expires_after(tokens_.time_to_fill() + std::chrono::microseconds(100));
    refill_.async_wait([weak = weak_from_this()](const asio::error_code& cancelled) {
        const auto self = weak.lock();
        if (self != nullptr && !cancelled) self->streams_.wake_next_idle();
    });
}

LinkStreamUser::Numbers LinkState::numbers() {
    const std::scoped_lock lock(mutex_);
    reported_room_ = inbox_.granted();
    return {inbox_.received(), inbox_.granted(), {pace_.streams(), 0, 0}};
}

void LinkState::on_header(const FrameHeader& header) {
    liveness_.received(Clock::now());
    bool next = false;
    {
        const std::scoped_lock lock(mutex_);
        outbox_.acknowledge(header.received, header.consumed);
        next = outbox_.has_next();
    }
    changed_.notify_all();
    if (next) streams_.wake_all();
}

void LinkState::on_chunk(const FrameHeader& header, const ChunkHeader& chunk, std::span<const std::byte> data) {
    {
        const std::scoped_lock lock(mutex_);
        if (header.type == FrameType::close_notice)
            inbox_.put_close(header.request, chunk);
        else
            inbox_.put(header.request, chunk, data);
        if (inbox_.complete() && !ended()) status_ = LinkStatus::peer_left;
    }
    changed_.notify_all();
}

void LinkState::on_heartbeat(const HeartbeatBody& heartbeat) {
    wanted_by_peer_ = heartbeat.streams;
    if (heartbeat.answered != 0)
        pace_.note_round_trip(std::chrono::microseconds(heartbeat_clock() - heartbeat.answered));
}

void LinkState::stream_lost(std::uint64_t stream, const std::string& why, bool closed, bool broken_rules) {
    if (broken_rules) return fail("it breaks the rules of a link: " + why);
    remove_stream(stream);
    liveness_.stream_lost(Clock::now(), why, closed, streams_.empty());
}

// Other streams send the chunks again that this one may not have delivered.
void LinkState::remove_stream(std::uint64_t stream) {
    if (!streams_.remove(stream)) return;
    {
        const std::scoped_lock lock(mutex_);
        outbox_.lose(stream);
        note_streams();
    }
    changed_.notify_all();
    streams_.wake_all();
}

void LinkState::tick(Clock::time_point now) {
    if (over()) return close_streams();
    const auto longest = PeerLiveness::longest_stream_silence(pace_.round_trip());
    for (const std::uint64_t stream : streams_.silent(now, longest)) {
        remove_stream(stream);
        liveness_.stream_silent(now, streams_.empty());
    }
    if (liveness_.question_due(now)) streams_.send_heartbeats(true);
    note_acknowledged(now);
    measure(now);
    streams_.limit_rate(pace_.limit());
    if (const auto loss = liveness_.loss(now, !streams_.empty())) fail(*loss);
}

void LinkState::note_acknowledged(Clock::time_point now) {
    const std::scoped_lock lock(mutex_);
    liveness_.acknowledged(now, outbox_.acknowledged(), outbox_.has_unacknowledged());
}

void LinkState::measure(Clock::time_point now) {
    const std::uint64_t delivered = streams_.delivered();
    bool busy = false;
    {
        const std::scoped_lock lock(mutex_);
        busy = outbox_.has_next() && !streams_.empty();
    }
    pace_.note_delivered(now, delivered, busy);
    const std::scoped_lock lock(mutex_);
    traffic_.round_trip = std::chrono::duration<double>(pace_.round_trip()).count();
    traffic_.rate = pace_.rate();
}

std::size_t LinkState::streams_missing() const {
    if (over()) return 0;
    if (streams_.empty()) return 1;
    const std::size_t wanted = std::clamp<std::size_t>(wanted_by_peer_, pace_.streams(), most_streams);
    return streams_.opened_here() && wanted > streams_.count() ? wanted - streams_.count() : 0;
}

bool LinkState::over() const {
    const std::scoped_lock lock(mutex_);
    return ended() && (status_ != LinkStatus::peer_left || traffic_.streams == 0);
}

void LinkState::fail(const std::string& why) {
    {
        const std::scoped_lock lock(mutex_);
        if (status_ != LinkStatus::failed && status_ != LinkStatus::closed) {
            status_ = LinkStatus::failed;
            failure_ = why.empty() ? "the connection is lost" : why;
        }
    }
    close_streams();
}

void LinkState::close_streams() {
    streams_.close_all();
    {
        const std::scoped_lock lock(mutex_);
        note_streams();
    }
    changed_.notify_all();
}

}  // namespace trellis
