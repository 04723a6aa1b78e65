// One stream of a link: writes the next chunks, reads those that arrive, and sends heartbeats in between.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trellis/transport/links/wide_area/chunk.hpp"
#include "trellis/transport/links/wide_area/outbox.hpp"
#include "trellis/transport/streams/stream.hpp"

namespace trellis {

// Interface of the link that owns the streams. All functions are called by the network's thread.
class LinkStreamUser {
  public:
    struct Numbers {
        std::uint64_t received, granted;
        HeartbeatBody heartbeat;
    };
    virtual ~LinkStreamUser() = default;
    // The next chunk to write on the stream of this number; empty if none may be sent now.
    virtual std::optional<Outbox::Chunk> next_chunk(std::uint64_t stream) = 0;
    // The numbers in the header of a frame that is written now, and the body of a heartbeat.
    virtual Numbers numbers() = 0;
    // A frame has arrived, with acknowledgements in its header.
    virtual void on_header(const FrameHeader& header) = 0;
    virtual void on_chunk(const FrameHeader& header, const ChunkHeader& chunk, std::span<const std::byte> data) = 0;
    virtual void on_heartbeat(const HeartbeatBody& heartbeat) = 0;
    // why: an error of the network, or the rule that the peer broke. closed: by the peer.
    virtual void stream_lost(std::uint64_t stream, const std::string& why, bool closed, bool broken_rules) = 0;
};

class LinkStream : public std::enable_shared_from_this<LinkStream> {
  public:
    using Clock = std::chrono::steady_clock;

    LinkStream(asio::any_io_executor executor, std::shared_ptr<Stream> stream, std::uint64_t number,
               std::shared_ptr<LinkStreamUser> user);

    void start();
    // There may be something to write.
    void wake();
    // Nothing is being written.
    bool idle() const { return frames_.empty(); }
    // Acknowledges what has arrived. asks: the peer answers with a heartbeat.
    void heartbeat(bool asks);
    void close();

    std::uint64_t number() const { return number_; }
    Clock::duration silence(Clock::time_point now) const { return now - last_received_; }
    // Limits the rate to `rate` bytes per second; 0: no limit.
    void limit_rate(std::uint64_t rate);
    // Bytes that have reached the peer since the last call.
    std::uint64_t newly_delivered();

  private:
    asio::awaitable<void> read_frames();
    asio::awaitable<void> read_frame();
    asio::awaitable<void> write_frames();
    void collect();
    void put_chunk(Outbox::Chunk chunk);
    void put_heartbeat();
    void put(FrameHeader header, std::vector<std::byte> body, std::span<const std::byte> data);
    void lost(const std::string& why, bool closed, bool broken_rules);

    // A frame of the present write.
    struct Written {
        EncodedHeader header;
        std::vector<std::byte> body;
        std::span<const std::byte> data;
    };

    const asio::any_io_executor executor_;
    const std::shared_ptr<Stream> stream_;
    const std::uint64_t number_;
    const std::shared_ptr<LinkStreamUser> user_;
    asio::steady_timer wake_;      // cancelled when there may be something to write
    std::uint32_t delivered_ = 0;  // packets
    bool open_ = true;
    bool heartbeat_due_ = true, asks_ = true;
    std::int64_t answer_ = 0;  // `asked` of the peer's last heartbeat, not answered yet; 0: none
    Clock::time_point last_received_ = Clock::now();
    std::vector<Outbox::Chunk> chunks_;  // being written; they own the data of frames_
    std::vector<Written> frames_;
    std::vector<std::byte> read_;  // a chunk, until it is complete
};

// Microseconds of the clock in HeartbeatBody.
std::int64_t heartbeat_clock();

}  // namespace trellis
