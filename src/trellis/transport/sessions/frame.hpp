// Frames: the messages of a connection. A frame is a header of 52 bytes, a body (calls or answers), and data (columns
// of particles). Numbers are little endian.
//
//     offset  bytes
//          0      4  magic "TRLS"
//          4      1  version of the format
//          5      1  type (FrameType)
//          6      2  flags
//          8      4  number of the device
//         12      4  length of the body
//         16      8  length of the data
//         24      8  request number: 1, 2, 3, ... in each direction; 0: not repeated if the connection breaks
//         32      8  the last request number that the sender has received
//         40      8  bytes that the sender has received and processed, in all
//         48      4  CRC-32C of the 48 bytes before
//
// Body and data need no checksum: TLS or SSH authenticates them, or they do not leave the machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trellis/transport/streams/transport_error.hpp"

namespace trellis {

constexpr std::uint8_t frame_version = 1;
constexpr std::size_t frame_header_bytes = 52;

enum class FrameType : std::uint8_t {
    hello = 1,     // first frame of a connection, client to server
    welcome,       // its answer: accepted
    refusal,       // its answer: refused, with the reason; the connection ends
    calls,         // client to server
    answers,       // server to client
    heartbeat,     // shows that the sender lives, and acknowledges
    close_notice,  // the sender ends the session
    chunk          // between sites: a part of a message (links/wide_area/chunk.hpp)
};

// Flag of a heartbeat that the receiver answers with another.
constexpr std::uint16_t heartbeat_wants_answer = 1;
// Flag of a refusal whose reason may pass: the client may try again.
constexpr std::uint16_t refusal_may_pass = 1;

struct FrameHeader {
    FrameType type = FrameType::heartbeat;
    std::uint16_t flags = 0;
    std::uint32_t device = 0;
    std::uint32_t body_bytes = 0;
    std::uint64_t data_bytes = 0;
    std::uint64_t request = 0;
    std::uint64_t received = 0;
    std::uint64_t consumed = 0;
};

using EncodedHeader = std::array<std::byte, frame_header_bytes>;

EncodedHeader encode(const FrameHeader& header);

// The largest body and data that a receiver accepts.
struct FrameLimits {
    std::uint32_t body_bytes;
    std::uint64_t data_bytes;
};
constexpr FrameLimits limits_before_welcome{4096, 0};
constexpr FrameLimits limits_of_session{1 << 20, 4 << 20};

// Throws TransportError if the bytes are not a header of this version, or announce more than the limits.
FrameHeader decode(const EncodedHeader& bytes, const FrameLimits& limits);

// A frame to send.
struct Frame {
    FrameHeader header;  // the session sets the lengths and the numbers from `request` on
    std::vector<std::byte> body;
    std::vector<std::span<const std::byte>> data;  // written in this order; valid as long as the frame, or
    std::shared_ptr<const void> owner;             // owned by this
};

}  // namespace trellis
