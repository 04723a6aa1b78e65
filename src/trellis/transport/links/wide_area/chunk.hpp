// Wire format of a link: chunks, which are parts of messages, and heartbeats. A chunk is a frame (sessions/frame.hpp)
// whose request number counts the chunks of a link over all of its streams; its body is a ChunkHeader, its data the
// part. In the frame's header, `received` is the number up to which all chunks have arrived, and `consumed` the number
// of bytes that the peer may send in all, as cost_of counts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/packing/bytes.hpp"
#include "trellis/transport/links/link.hpp"
#include "trellis/transport/sessions/frame.hpp"

namespace trellis {

struct ChunkHeader {
    std::uint64_t message = 0;  // number of the message: 1, 2, 3, ... in the order of sending
    std::uint64_t after = 0;    // the message of this tag before it, if not yet acknowledged; else 0
    LinkTag tag = 0;
    std::uint64_t total = 0;  // bytes of the message
    std::uint64_t offset = 0;
};

// Body of a heartbeat.
struct HeartbeatBody {
    std::uint64_t streams = 0;  // wanted by the sender
    std::int64_t asked = 0;     // the sender's clock in microseconds; 0: no answer is wanted
    std::int64_t answered = 0;  // the question that this answers: `asked` of the receiver; 0: none
};

constexpr FrameLimits limits_of_link{256, 4 << 20};

// Bytes that a chunk counts against the memory of a link: its data and the overhead of storing it.
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

// Throws RunError if the body is of another size than T.
template <class T>
T read_body(const std::vector<std::byte>& body) {
    ByteReader reader(body);
    const T read = reader.get<T>();
    if (!reader.at_end()) throw TransportError("a frame's body is too long");
    return read;
}

}  // namespace trellis
