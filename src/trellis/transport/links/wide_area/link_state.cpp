#include "trellis/transport/links/wide_area/link_state.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <future>
#include <utility>

#include "trellis/transport/streams/deadline.hpp"
#include "trellis/transport/streams/wide_area.hpp"

namespace trellis {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t usual_chunk = 256 << 10;
constexpr milliseconds between_questions{1000};
constexpr seconds longest_silence{6};    // of a stream, and eight round trips
constexpr seconds longest_refused{6};    // of a site: then it is dead
constexpr double longest_saved = 0.025;  // seconds of the pace that an idle link saves up
constexpr double stream_share = 1.5;     // what one stream may do more than its part, for others that cannot
constexpr seconds longest_close{2};      // once the peer has said close_notice

}  // namespace

LinkState::LinkState(asio::any_io_executor executor, Facts facts)
    : executor_(std::move(executor)),
      facts_(std::move(facts)),
      outbox_(facts_.choice.chunk.value_or(usual_chunk), facts_.memory / 2),
      inbox_(facts_.memory / 2),
      pace_(facts_.choice, largest_window()),
      refill_(executor_) {}

void LinkState::throw_over() const {
    if (!why_lost_.empty()) throw RunError("the site " + facts_.peer + " is lost: " + why_lost_);
    if (closed_) throw RunError("the link to the site " + facts_.peer + " is closed");
    throw RunError("the site " + facts_.peer + " has left, and sends no more");
}

// A link that is over has room: send says why it is.
bool LinkState::has_room() const {
    const std::scoped_lock lock(mutex_);
    return outbox_.has_room() || !why_lost_.empty() || closed_ || inbox_.complete();
}

void LinkState::send(LinkTag tag, std::vector<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    const auto lives = [&] { return why_lost_.empty() && !closed_ && !inbox_.complete(); };
    changed_.wait(lock, [&] { return outbox_.has_room() || !lives(); });
    if (!lives()) throw_over();
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
    } else if (!why_lost_.empty() || closed_ || inbox_.complete()) {
        throw_over();
    }
    lock.unlock();
    report_room();
    return taken;
}

bool LinkState::has(LinkTag tag) const {
    const std::scoped_lock lock(mutex_);
    if (inbox_.has(tag)) return true;
    if (!why_lost_.empty() || closed_ || inbox_.complete()) throw_over();
    return false;
}

std::vector<std::byte> LinkState::receive(LinkTag tag) {
    if (auto taken = take(tag)) return std::move(*taken);
    std::unique_lock lock(mutex_);
    inbox_.begin_wait();
    std::optional<std::vector<std::byte>> taken;
    changed_.wait(lock, [&] {
        taken = inbox_.take(tag);
        return taken || !why_lost_.empty() || closed_ || inbox_.complete();
    });
    inbox_.end_wait();
    if (!taken) throw_over();
    ++traffic_.messages_received;
    traffic_.bytes_received += taken->size();
    lock.unlock();
    report_room();
    return std::move(*taken);
}

LinkTraffic LinkState::traffic() const {
    const std::scoped_lock lock(mutex_);
    return traffic_;
}

bool LinkState::wait_for_stream(Clock::time_point end) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, end, [&] { return has_streams_ || !why_lost_.empty(); });
    if (!why_lost_.empty()) throw_over();
    return has_streams_;
}

// Waits until the peer has everything, the close_notice among it. A peer that has left needs no close_notice.
void LinkState::close() {
    {
        std::unique_lock lock(mutex_);
        if (closed_) return;
        if (why_lost_.empty()) {
            outbox_.add_close();
            lock.unlock();
            wake_streams();
            lock.lock();
            changed_.wait(lock, [&] { return outbox_.empty() || !why_lost_.empty() || inbox_.complete(); });
            if (inbox_.complete())
                changed_.wait_for(lock, longest_close,
                                  [&] { return outbox_.empty() || !why_lost_.empty() || !has_streams_; });
        }
        closed_ = true;
        changed_.notify_all();
    }
    abandon();
}

void LinkState::abandon() {
    const auto ended = std::make_shared<std::promise<void>>();
    auto future = ended->get_future();
    asio::post(executor_, [self = shared_from_this(), ended] {
        {
            const std::scoped_lock lock(self->mutex_);
            self->closed_ = true;
        }
        self->end_streams();
        ended->set_value();
    });
    future.wait_for(longest_close);
}

// Many messages, one wake-up.
void LinkState::wake_streams() {
    if (wake_posted_.exchange(true)) return;
    asio::post(executor_, [self = shared_from_this()] {
        self->wake_posted_ = false;
        for (const auto& [number, stream] : self->streams_) stream->wake();
    });
}

// Tells the peer of room once it has grown by an eighth of the memory; less of it goes with what is sent anyway.
void LinkState::report_room() {
    {
        const std::scoped_lock lock(mutex_);
        if (inbox_.granted() - reported_room_ < facts_.memory / 16) return;
    }
    if (room_posted_.exchange(true)) return;
    asio::post(executor_, [self = shared_from_this()] {
        self->room_posted_ = false;
        if (!self->streams_.empty()) self->streams_.begin()->second->heartbeat(false);
    });
}

void LinkState::attach(std::shared_ptr<Stream> stream, std::uint64_t received, std::uint64_t granted,
                       bool opened_here) {
    if (over()) return stream->close();
    {
        const std::scoped_lock lock(mutex_);
        outbox_.acknowledge(received, granted);
        has_streams_ = true;
    }
    changed_.notify_all();
    prepare_for_wide_area(stream->handle());
    if (streams_.empty()) opens_ = opened_here;
    const auto added = std::make_shared<LinkStream>(executor_, std::move(stream), ++last_stream_, shared_from_this());
    streams_[last_stream_] = added;
    heard_ = Clock::now();
    refused_since_.reset();
    limit_set_ = ~std::uint64_t{0};
    added->start();
}

std::optional<Outbox::Chunk> LinkState::next_chunk(std::uint64_t stream) {
    const bool allowed = has_allowance();
    const std::scoped_lock lock(mutex_);
    if (!outbox_.has_next()) return std::nullopt;
    if (!allowed) {
        wait_for_allowance();
        return std::nullopt;
    }
    std::optional<Outbox::Chunk> chunk = outbox_.next(stream);
    if (chunk) allowance_ -= static_cast<double>(cost_of(chunk->data.size()));
    return chunk;
}

// All streams together send at the pace of the link; so what one of them cannot carry the others do.
bool LinkState::has_allowance() {
    const auto limit = static_cast<double>(pace_.limit());
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - std::exchange(refilled_, now)).count();
    allowance_ = limit == 0 ? 0 : std::min(allowance_ + limit * seconds, limit * longest_saved);
    return limit == 0 || allowance_ >= 0;
}

// The streams take turns: the next one is woken when something may be sent.
void LinkState::wait_for_allowance() {
    if (refill_.expiry() > Clock::now()) return;
    const double seconds = -allowance_ / static_cast<double>(std::max<std::uint64_t>(pace_.limit(), 1));
    refill_.expires_after(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)) +
                          std::chrono::microseconds(100));
    refill_.async_wait([weak = weak_from_this()](const asio::error_code& cancelled) {
        const auto self = weak.lock();
        if (self == nullptr || cancelled || self->streams_.empty()) return;
        self->wake_idle();
    });
}

// Wakes the next stream that has nothing to write.
void LinkState::wake_idle() {
    auto next = streams_.upper_bound(last_refilled_);
    for (std::size_t k = 0; k < streams_.size(); ++k, ++next) {
        if (next == streams_.end()) next = streams_.begin();
        if (!next->second->idle()) continue;
        last_refilled_ = next->first;
        return next->second->wake();
    }
}

LinkStreamUser::Numbers LinkState::numbers() {
    const std::scoped_lock lock(mutex_);
    reported_room_ = inbox_.granted();
    return {inbox_.received(), inbox_.granted(), {pace_.streams(), 0, 0}};
}

void LinkState::note(const FrameHeader& header) {
    heard_ = Clock::now();
    bool next = false;
    {
        const std::scoped_lock lock(mutex_);
        outbox_.acknowledge(header.received, header.consumed);
        next = outbox_.has_next();
    }
    changed_.notify_all();
    if (next)
        for (const auto& [number, stream] : streams_) stream->wake();
}

void LinkState::on_chunk(const FrameHeader& header, const ChunkHeader& chunk, std::span<const std::byte> data) {
    {
        const std::scoped_lock lock(mutex_);
        if (header.type == FrameType::close_notice)
            inbox_.put_close(header.request, chunk);
        else
            inbox_.put(header.request, chunk, data);
    }
    changed_.notify_all();
}

void LinkState::on_heartbeat(const HeartbeatBody& heartbeat) {
    wanted_by_peer_ = heartbeat.streams;
    if (heartbeat.answered != 0)
        pace_.note_round_trip(std::chrono::microseconds(heartbeat_clock() - heartbeat.answered));
}

void LinkState::stream_lost(std::uint64_t stream, const std::string& why, bool closed, bool broken_rules) {
    last_failure_ = why;
    if (broken_rules) return fail("it breaks the rules of a link: " + why);
    lose(stream, Clock::now());
    if (closed && streams_.empty() && !refused_since_) refused_since_ = Clock::now();
}

void LinkState::lose(std::uint64_t stream, Clock::time_point now) {
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return;
    found->second->close();
    streams_.erase(found);
    if (streams_.empty()) without_stream_ = now;
    {
        const std::scoped_lock lock(mutex_);
        outbox_.lose(stream);
        has_streams_ = !streams_.empty();
    }
    changed_.notify_all();
    for (const auto& [number, other] : streams_) other->wake();
}

void LinkState::note_attempt(const std::string& why, bool refused) {
    last_failure_ = why;
    if (!refused) refused_since_.reset();
}

void LinkState::tick(Clock::time_point now) {
    if (over()) return end_streams();
    const auto longest = std::max<Clock::duration>(longest_silence, 8 * pace_.round_trip());
    std::vector<std::uint64_t> silent;
    for (const auto& [number, stream] : streams_)
        if (stream->silence(now) > longest) silent.push_back(number);
    for (const std::uint64_t number : silent) lose(number, now);
    if (now - asked_ >= between_questions) {
        asked_ = now;
        for (const auto& [number, stream] : streams_) stream->heartbeat(true);
    }
    bool busy = false;
    {
        const std::scoped_lock lock(mutex_);
        busy = outbox_.has_next() && !streams_.empty();
    }
    for (const auto& [number, stream] : streams_) delivered_ += stream->newly_delivered();
    pace_.note_delivered(now, delivered_, busy);
    {
        const std::scoped_lock lock(mutex_);
        traffic_.streams = streams_.size();
        traffic_.round_trip = std::chrono::duration<double>(pace_.round_trip()).count();
        traffic_.rate = pace_.rate();
    }
    set_pace();
    if (last_stream_ == 0) return;  // the peer has not come yet
    if (streams_.empty() && refused_since_ && now - *refused_since_ > longest_refused) fail(last_failure_);
    if (now - heard_ > facts_.grace) fail("silent for " + seconds_text(facts_.grace) + ": " + last_failure_);
}

void LinkState::set_pace() {
    if (streams_.empty()) return;
    const double part = stream_share * static_cast<double>(pace_.limit()) / static_cast<double>(streams_.size());
    const std::uint64_t each = pace_.limit() == 0 ? 0 : std::max<std::uint64_t>(static_cast<std::uint64_t>(part), 1);
    if (each == limit_set_) return;
    limit_set_ = each;
    for (const auto& [number, stream] : streams_) stream->pace(each);
}

std::size_t LinkState::streams_missing() const {
    if (over()) return 0;
    if (streams_.empty()) return 1;
    const std::size_t wanted = std::clamp<std::size_t>(wanted_by_peer_, pace_.streams(), most_streams);
    return opens_ && wanted > streams_.size() ? wanted - streams_.size() : 0;
}

bool LinkState::over() const {
    const std::scoped_lock lock(mutex_);
    return !why_lost_.empty() || closed_ || (inbox_.complete() && !has_streams_);
}

void LinkState::fail(const std::string& why) {
    {
        const std::scoped_lock lock(mutex_);
        if (why_lost_.empty()) why_lost_ = why.empty() ? "the connection is lost" : why;
    }
    end_streams();
}

void LinkState::end_streams() {
    const auto ending = std::exchange(streams_, {});
    for (const auto& [number, stream] : ending) stream->close();
    {
        const std::scoped_lock lock(mutex_);
        has_streams_ = false;
    }
    changed_.notify_all();
}

}  // namespace trellis
