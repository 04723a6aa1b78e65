#include "trellis/transport/links/wide_area/link_stream.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <utility>

#include "trellis/transport/streams/tls_stream.hpp"
#include "trellis/transport/streams/wide_area.hpp"

namespace trellis {

namespace {

// The largest gathered write.
constexpr std::size_t most_frames = 24;
constexpr std::uint64_t most_bytes = 256 << 10;

}  // namespace

std::int64_t heartbeat_clock() {
    using std::chrono::microseconds;
    return std::chrono::duration_cast<microseconds>(LinkStream::Clock::now().time_since_epoch()).count();
}

LinkStream::LinkStream(asio::any_io_executor executor, std::shared_ptr<Stream> stream, std::uint64_t number,
                       std::shared_ptr<LinkStreamUser> user)
    : executor_(std::move(executor)),
      stream_(std::move(stream)),
      number_(number),
      user_(std::move(user)),
      wake_(executor_, Clock::time_point::max()) {}

void LinkStream::start() {
    // Each coroutine owns the stream from now on: the other one may close it before this one has begun.
    const auto self = shared_from_this();
    asio::co_spawn(executor_, [self] { return self->read_frames(); }, asio::detached);
    asio::co_spawn(executor_, [self] { return self->write_frames(); }, asio::detached);
}

void LinkStream::wake() { wake_.cancel(); }

void LinkStream::heartbeat(bool asks) {
    heartbeat_due_ = true;
    asks_ = asks_ || asks;
    wake();
}

void LinkStream::close() {
    if (!open_) return;
    open_ = false;
    stream_->close();
    wake();
}

void LinkStream::lost(const std::string& why, bool closed, bool broken_rules) {
    if (!open_) return;  // closed on purpose
    close();
    user_->stream_lost(number_, why, closed, broken_rules);
}

void LinkStream::limit_rate(std::uint64_t rate) { set_pacing(stream_->handle(), rate); }

std::uint64_t LinkStream::newly_delivered() {
    const Delivered now = delivered_by(stream_->handle());
    const std::uint32_t packets = now.packets - std::exchange(delivered_, now.packets);
    return std::uint64_t{packets} * now.packet_bytes;
}

asio::awaitable<void> LinkStream::read_frames() {
    try {
        while (open_) co_await read_frame();
    } catch (const asio::system_error& error) {
        lost(error.code().message(), has_closed(error.code()), false);
    } catch (const std::exception& error) {
        lost(error.what(), true, true);
    }
}

asio::awaitable<void> LinkStream::read_frame() {
    EncodedHeader bytes;
    co_await stream_->read(std::span(bytes));
    const FrameHeader header = decode(bytes, limits_of_link);
    std::vector<std::byte> body(header.body_bytes);
    if (!body.empty()) co_await stream_->read(std::span(body));
    read_.resize(header.data_bytes);
    if (!read_.empty()) co_await stream_->read(std::span(read_));
    if (!open_) co_return;
    last_received_ = Clock::now();
    user_->on_header(header);
    if (header.type == FrameType::chunk || (header.type == FrameType::close_notice && header.data_bytes == 0)) {
        const auto chunk = read_body<ChunkHeader>(body);
        user_->on_chunk(header, chunk, read_);
        heartbeat(false);
    } else if (header.type == FrameType::heartbeat && header.data_bytes == 0) {
        const auto heartbeat_body = read_body<HeartbeatBody>(body);
        user_->on_heartbeat(heartbeat_body);
        if (heartbeat_body.asked != 0) {
            answer_ = heartbeat_body.asked;
            heartbeat(false);
        }
    } else {
        throw TransportError("a frame of type " + std::to_string(static_cast<int>(header.type)) +
                             " does not belong to a link");
    }
}

asio::awaitable<void> LinkStream::write_frames() {
    std::vector<asio::const_buffer> buffers;
    try {
        while (open_) {
            collect();
            if (frames_.empty()) {
                asio::error_code cancelled;
                co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
                continue;
            }
            buffers.clear();
            for (const Written& each : frames_) {
                buffers.emplace_back(each.header.data(), each.header.size());
                buffers.emplace_back(each.body.data(), each.body.size());
                if (!each.data.empty()) buffers.emplace_back(each.data.data(), each.data.size());
            }
            co_await stream_->write(std::span<const asio::const_buffer>(buffers));
        }
    } catch (const asio::system_error& error) {
        lost(error.code().message(), has_closed(error.code()), false);
    }
}

// Collects the frames of the next write: a heartbeat if one is due, and chunks.
void LinkStream::collect() {
    chunks_.clear();
    frames_.clear();
    if (heartbeat_due_) put_heartbeat();
    for (std::uint64_t bytes = 0; bytes < most_bytes && frames_.size() < most_frames;) {
        std::optional<Outbox::Chunk> chunk = user_->next_chunk(number_);
        if (!chunk) break;
        bytes += cost_of(chunk->data.size());
        put_chunk(std::move(*chunk));
    }
}

void LinkStream::put_chunk(Outbox::Chunk chunk) {
    FrameHeader header;
    header.type = chunk.type;
    header.request = chunk.number;
    put(header, body_of(chunk.header), chunk.data);
    chunks_.push_back(std::move(chunk));
}

void LinkStream::put_heartbeat() {
    HeartbeatBody body = user_->numbers().heartbeat;
    FrameHeader header;
    body.asked = asks_ ? heartbeat_clock() : 0;
    body.answered = std::exchange(answer_, 0);
    put(header, body_of(body), {});
    heartbeat_due_ = asks_ = false;
}

void LinkStream::put(FrameHeader header, std::vector<std::byte> body, std::span<const std::byte> data) {
    const LinkStreamUser::Numbers numbers = user_->numbers();
    header.received = numbers.received;
    header.consumed = numbers.granted;
    header.body_bytes = static_cast<std::uint32_t>(body.size());
    header.data_bytes = data.size();
    frames_.push_back({encode(header), std::move(body), data});
}

}  // namespace trellis
