// One of the streams of a link: writes the chunks that are next, reads those that come, and beats in between.
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

// What the streams of a link have in common. All functions are called by the network's thread.
class LinkStreamUser {
  public:
    struct Numbers {
        std::uint64_t received, granted;
        HeartbeatBody heartbeat;
    };
    virtual ~LinkStreamUser() = default;
    virtual std::optional<Outbox::Chunk> next_chunk(std::uint64_t stream) = 0;
    // What a frame that is written now says.
    virtual Numbers numbers() = 0;
    virtual void note(const FrameHeader& header) = 0;
    virtual void on_chunk(const FrameHeader& header, const ChunkHeader& chunk, std::span<const std::byte> data) = 0;
    virtual void on_heartbeat(const HeartbeatBody& heartbeat) = 0;
    // closed: by the other end, not by silence. broken_rules: the peer's fault.
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
    // Tells the peer what has come; asks: it answers.
    void heartbeat(bool asks);
    void close();

    std::uint64_t number() const { return number_; }
    Clock::duration silence(Clock::time_point now) const { return now - heard_; }
    // At most so many bytes a second; 0: no limit.
    void pace(std::uint64_t limit);
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

    // What one write takes.
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
    std::int64_t answer_ = 0;  // the question of the peer that is to be answered; 0: none
    Clock::time_point heard_ = Clock::now();
    std::vector<Outbox::Chunk> chunks_;  // that are being written
    std::vector<Written> frames_;
    std::vector<std::byte> read_;  // a chunk, until it is complete
};

// The clock of questions and answers, in microseconds.
std::int64_t heartbeat_clock();

}  // namespace trellis
