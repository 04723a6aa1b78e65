// The messages that a site has given to send: cut into chunks as streams ask for them, kept until the peer has them.
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
        std::shared_ptr<const void> owner;  // of the data
    };

    // chunk: bytes of a message that travel as one; memory: bytes that may wait before has_room is false.
    Outbox(std::uint32_t chunk, std::uint64_t memory) : chunk_(chunk), memory_(memory) {}

    bool has_room() const { return waiting_ < memory_; }
    // The peer has everything.
    bool empty() const { return sent_.empty() && uncut_.empty(); }
    // A chunk waits for a stream, and the peer has room for it.
    bool has_next() const;

    void add(LinkTag tag, std::vector<std::byte> bytes);
    // The last message: that there are no more.
    void add_close();

    // The next chunk, which this stream will write; nothing if there is none, or the peer has no room.
    std::optional<Chunk> next(std::uint64_t stream);
    // A stream is lost: what it was given, and what the peer may not have, is sent again by others.
    void lose(std::uint64_t stream);
    // The peer has all chunks up to this one, and room for so many bytes in all. Throws TransportError if it cannot.
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
        bool last;  // of its message
    };

    std::uint64_t length_at(const Message& message, std::uint64_t offset) const;
    Chunk chunk_of(std::uint64_t number, const Sent& sent) const;

    const std::uint32_t chunk_;
    const std::uint64_t memory_;
    std::uint64_t waiting_ = 0;  // bytes of messages that the peer may not have
    std::uint64_t messages_ = 0;
    std::deque<std::shared_ptr<const Message>> uncut_;  // the first of them from cut_ on
    std::uint64_t cut_ = 0;
    std::deque<Sent> sent_;          // chunks that the peer may not have: numbers received_ + 1, ...
    std::uint64_t received_ = 0;     // by the peer
    std::set<std::uint64_t> again_;  // numbers of those among them that wait for another stream
    std::uint64_t charged_ = 0, granted_ = 0;
    std::map<LinkTag, std::uint64_t> last_of_tag_;  // messages that the peer may not have
};

}  // namespace trellis
