// Chunks: the parts of messages, each of which travels over one of a link's streams, and the beats between them. A
// chunk is a frame (../frame.hpp) whose request number counts the chunks of a link, over all streams; its body is a
// ChunkHeader, its data the part. `received` says up to which number all chunks have come, `consumed` how many bytes
// the peer may send in all (cost_of).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/packing/bytes.hpp"
#include "trellis/transport/links/link.hpp"
#include "trellis/transport/sessions/frame.hpp"

namespace trellis {

struct ChunkHeader {
    std::uint64_t message = 0;  // 1, 2, 3, ... in the order in which they were sent
    std::uint64_t after = 0;    // the message of the same tag before it, if the peer may not have that yet; else 0
    LinkTag tag = 0;
    std::uint64_t total = 0;  // bytes of the message
    std::uint64_t offset = 0;
};

// What a heartbeat says beside the numbers of its frame's header.
struct HeartbeatBody {
    std::uint64_t streams = 0;  // how many the sender would like
    std::int64_t asked = 0;     // the sender's clock in microseconds, if an answer is wanted
    std::int64_t answered = 0;  // that of the receiver, from its question
};

constexpr FrameLimits limits_of_link{256, 4 << 20};

// What a chunk counts of a link's memory: its bytes, and what keeping it takes.
constexpr std::uint64_t cost_of(std::uint64_t bytes) { return bytes + 128; }

inline std::vector<std::byte> body_of(const ChunkHeader& header) {
    ByteWriter body;
    body.put(header);
    return body.take();
}
inline std::vector<std::byte> body_of(const HeartbeatBody& heartbeat) {
    ByteWriter body;
    body.put(heartbeat);
    return body.take();
}

// Throws RunError if the body is of another size.
template <class T>
T read_body(const std::vector<std::byte>& body) {
    ByteReader reader(body);
    const T read = reader.get<T>();
    if (!reader.at_end()) throw TransportError("a frame's body is too long");
    return read;
}

}  // namespace trellis
