#include "trellis/transport/sessions/session.hpp"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/error.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <utility>

namespace trellis {

namespace {

// The largest gathered write: the system takes it in one call, and it does not delay other devices for long.
constexpr std::size_t most_buffers = 64;
constexpr std::uint64_t most_bytes = 4 << 20;

// Frames and bytes that arrive before an acknowledgement is sent.
constexpr std::uint64_t frames_between_reports = 32, bytes_between_reports = Session::credit / 4;

// Reads `bytes` bytes and drops them.
asio::awaitable<void> skip(Stream& stream, std::uint64_t bytes) {
    std::vector<std::byte> dropped(std::min<std::uint64_t>(bytes, 1 << 16));
    for (; bytes > 0; bytes -= std::min<std::uint64_t>(bytes, dropped.size()))
        co_await stream.read(std::span(dropped).first(std::min<std::uint64_t>(bytes, dropped.size())));
}

}  // namespace

Session::Session(asio::any_io_executor executor, std::weak_ptr<SessionUser> user)
    : executor_(std::move(executor)), user_(std::move(user)), wake_(executor_, Clock::time_point::max()) {}

void Session::attach(std::shared_ptr<Stream> stream, std::uint64_t received_by_peer) {
    if (received_by_peer > last_request_ || received_by_peer < peer_received_)
        throw TransportError("the peer has received frames that were never sent");
    detach();
    stream_ = std::move(stream);
    last_received_ = Clock::now();
    peer_received_ = written_ = received_by_peer;
    drop_acknowledged();
    // Each coroutine owns session and stream from now on: the first one may end both before the second one has begun.
    const auto self = shared_from_this();
    const auto on = stream_;
    asio::co_spawn(executor_, [self, on] { return self->read_frames(on); }, asio::detached);
    asio::co_spawn(executor_, [self, on] { return self->write_frames(on); }, asio::detached);
}

void Session::detach() {
    if (stream_ == nullptr) return;
    stream_->close();
    stream_.reset();
    wake_.cancel();
}

void Session::end() {
    detach();
    outbox_.clear();
    if (const auto closed = std::exchange(closed_, nullptr)) closed();
}

void Session::send_close(std::function<void()> closed) {
    closed_ = std::move(closed);
    Frame frame;
    frame.header.type = FrameType::close_notice;
    send(std::move(frame));
    if (stream_ == nullptr) end();
}

void Session::send(Frame frame) {
    frame.header.request = ++last_request_;
    frame.header.body_bytes = static_cast<std::uint32_t>(frame.body.size());
    frame.header.data_bytes = 0;
    for (const auto part : frame.data) frame.header.data_bytes += part.size();
    bytes_sent_ += frame.header.body_bytes + frame.header.data_bytes;
    outbox_.push_back({std::move(frame), {}, bytes_sent_});
    wake_.cancel();
}

void Session::heartbeat(bool wants_answer) {
    heartbeat_due_ = true;
    answer_wanted_ = answer_wanted_ || wants_answer;
    if (wants_answer && !asked_) asked_ = Clock::now();
    wake_.cancel();
}

void Session::consume(std::uint64_t bytes) {
    consumed_ += bytes;
    if (consumed_ - reported_consumed_ >= bytes_between_reports) heartbeat(false);
}

asio::awaitable<void> Session::read_frames(std::shared_ptr<Stream> stream) {
    try {
        while (stream == stream_) co_await read_frame(*stream);
    } catch (const asio::system_error& error) {
        broken(stream.get(), error.code().message(), false);
    } catch (const std::exception& error) {
        broken(stream.get(), error.what(), true);
    }
}

asio::awaitable<void> Session::read_frame(Stream& stream) {
    EncodedHeader bytes;
    if (!stream.read_at_once(bytes)) co_await stream.read(std::span(bytes));
    const FrameHeader header = decode(bytes, limits_of_session);
    std::vector<std::byte> body(header.body_bytes);
    if (!stream.read_at_once(body)) co_await stream.read(std::span(body));
    // Held only while a frame is read, so that it may end in between.
    const std::shared_ptr<SessionUser> user = user_.lock();
    if (user == nullptr) co_return co_await skip(stream, header.data_bytes);
    acknowledge(header, *user);
    if (header.request == 0 || header.request <= received_) {
        co_await skip(stream, header.data_bytes);
    } else if (header.type == FrameType::close_notice) {
        throw TransportError("it has ended the session");
    } else if (header.request == received_ + 1) {
        const std::uint64_t size = header.body_bytes + header.data_bytes;
        if (bytes_received_ + size > consumed_ + credit + limits_of_session.body_bytes + largest_data)
            throw TransportError("the peer sends more than its credit");
        const SessionUser::Destination destination = user->destination_of(header, std::move(body));
        for (const asio::mutable_buffer& part : destination.buffers) {
            const std::span to(static_cast<std::byte*>(part.data()), part.size());
            if (!stream.read_at_once(to)) co_await stream.read(to);
        }
        user->taken(header);
        received_ = header.request;
        bytes_received_ += size;
        if (received_ - reported_received_ >= frames_between_reports) heartbeat(false);
    } else {
        throw TransportError("a frame is missing");
    }
    if (header.type == FrameType::heartbeat && (header.flags & heartbeat_wants_answer) != 0) heartbeat(false);
}

// Notes what the peer has received and processed.
void Session::acknowledge(const FrameHeader& header, SessionUser& user) {
    last_received_ = Clock::now();
    if (header.received > peer_received_ || outbox_.empty()) asked_.reset();
    if (header.received > last_request_ || header.consumed > bytes_sent_)
        throw TransportError("the peer has received frames that were never sent");
    peer_received_ = std::max(peer_received_, header.received);
    if (header.consumed > peer_consumed_) {
        peer_consumed_ = header.consumed;
        wake_.cancel();
    }
    drop_acknowledged();
    user.acknowledged();
}

// Drops frames that the peer has acknowledged, except those that are being written.
void Session::drop_acknowledged() {
    const std::uint64_t last = std::min(peer_received_, written_);
    while (!outbox_.empty() && outbox_.front().frame.header.request <= last) outbox_.pop_front();
}

asio::awaitable<void> Session::write_frames(std::shared_ptr<Stream> stream) {
    std::vector<asio::const_buffer> buffers;
    try {
        while (stream == stream_) {
            buffers.clear();
            const std::uint64_t last = collect(buffers);
            if (buffers.empty()) {
                asio::error_code cancelled;
                co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
                continue;
            }
            co_await stream->write(std::span<const asio::const_buffer>(buffers));
            if (stream != stream_) co_return;
            written_ = last;
            if (!outbox_.empty() && outbox_.back().frame.header.type == FrameType::close_notice &&
                last == last_request_)
                co_return end();
            drop_acknowledged();
        }
    } catch (const asio::system_error& error) {
        // a peer that has closed the connection ends read_frames as well, after its close notice has been read
        const bool gone = error.code() == asio::error::broken_pipe || error.code() == asio::error::connection_reset;
        if (!gone) broken(stream.get(), error.code().message(), false);
    }
}

FrameHeader Session::with_numbers(FrameHeader header) const {
    header.received = received_;
    header.consumed = consumed_;
    return header;
}

// Collects buffers of the next write: as many frames as fit and the credit allows, and a heartbeat if one is due.
// Returns the number of the last request that is written then.
std::uint64_t Session::collect(std::vector<asio::const_buffer>& buffers) {
    std::uint64_t last = written_, bytes = 0;
    for (Outgoing& next : outbox_) {
        const Frame& frame = next.frame;
        if (frame.header.request <= written_) continue;
        const std::uint64_t size = frame.header.body_bytes + frame.header.data_bytes;
        const bool allowed = next.end <= peer_consumed_ + credit || next.end - size <= peer_consumed_;
        const bool fits = buffers.size() + 2 + frame.data.size() <= most_buffers && bytes + size <= most_bytes;
        if (!allowed || (!fits && !buffers.empty())) break;
        next.header = encode(with_numbers(frame.header));
        buffers.emplace_back(next.header.data(), next.header.size());
        if (!frame.body.empty()) buffers.emplace_back(frame.body.data(), frame.body.size());
        for (const auto part : frame.data) buffers.emplace_back(part.data(), part.size());
        bytes += size;
        last = frame.header.request;
    }
    if (buffers.empty() || answer_wanted_) {
        if (heartbeat_due_) put_heartbeat(buffers);
    }
    if (!buffers.empty()) {
        heartbeat_due_ = false;
        reported_received_ = received_;
        reported_consumed_ = consumed_;
    }
    return last;
}

void Session::put_heartbeat(std::vector<asio::const_buffer>& buffers) {
    FrameHeader header;
    header.flags = answer_wanted_ ? heartbeat_wants_answer : 0;
    heartbeat_header_ = encode(with_numbers(header));
    answer_wanted_ = false;
    buffers.emplace_back(heartbeat_header_.data(), heartbeat_header_.size());
}

void Session::broken(const Stream* stream, const std::string& why, bool broken_rules) {
    if (stream != stream_.get()) return;  // closed by this side
    detach();
    if (const auto user = user_.lock()) user->lost(why, broken_rules);
}

}  // namespace trellis
