// Send queue of a link: cuts messages into chunks as streams ask for them, and keeps them until the peer has
// acknowledged them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "trellis/transport/links/wide_area/chunk.hpp"

namespace trellis {

class Outbox {
  public:
    struct Chunk {
        std::uint64_t number = 0;
        FrameType type = FrameType::chunk;
        ChunkHeader header;
        std::span<const std::byte> data;
        std::shared_ptr<const void> owner;  // owns the data
    };

    // chunk: largest number of bytes in a chunk. memory: bytes of queued messages from which on has_room is false.
    Outbox(std::uint32_t chunk, std::uint64_t memory) : chunk_(chunk), memory_(memory) {}

    bool has_room() const { return waiting_ < memory_; }
    // True if the peer has acknowledged everything.
    bool empty() const { return sent_.empty() && uncut_.empty(); }
    // The number up to which the peer has acknowledged all chunks, and whether it lacks chunks that were sent.
    std::uint64_t acknowledged() const { return received_; }
    bool has_unacknowledged() const { return !sent_.empty(); }
    // True if a chunk waits for a stream, and the peer has granted room for it.
    bool has_next() const;

    void add(LinkTag tag, std::vector<std::byte> bytes);
    // Adds the close notice, which is the last message.
    void add_close();

    // The next chunk, which this stream will write; empty unless has_next.
    std::optional<Chunk> next(std::uint64_t stream);
    // A stream is lost: other streams send its unacknowledged chunks again.
    void lose(std::uint64_t stream);
    // The peer has received all chunks up to `received`, and accepts `granted` bytes in all. Throws TransportError if
    // `received` was never sent.
    void acknowledge(std::uint64_t received, std::uint64_t granted);

  private:
    struct Message {
        FrameType type;
        ChunkHeader header;
        std::vector<std::byte> bytes;
    };
    struct Sent {
        std::shared_ptr<const Message> message;
        std::uint64_t offset, stream;
        bool last;  // chunk of its message
    };

    std::uint64_t length_at(const Message& message, std::uint64_t offset) const;
    Chunk chunk_of(std::uint64_t number, const Sent& sent) const;

    const std::uint32_t chunk_;
    const std::uint64_t memory_;
    std::uint64_t waiting_ = 0;  // bytes of unacknowledged messages
    std::uint64_t messages_ = 0;
    std::deque<std::shared_ptr<const Message>> uncut_;  // the first one from its byte cut_ on
    std::uint64_t cut_ = 0;
    std::deque<Sent> sent_;          // unacknowledged chunks: numbers received_ + 1, ...
    std::uint64_t received_ = 0;     // acknowledged by the peer
    std::set<std::uint64_t> again_;  // numbers of the chunks in sent_ to send again
    std::uint64_t charged_ = 0, granted_ = 0;
    std::map<LinkTag, std::uint64_t> last_of_tag_;  // unacknowledged messages
};

}  // namespace trellis
