#include "trellis/transport/sessions/frame.hpp"

#include "trellis/transport/sessions/crc32c.hpp"

namespace trellis {

namespace {

constexpr std::uint32_t magic = 0x534c5254;  // "TRLS" in little endian
constexpr std::size_t checked_bytes = 48;

template <class T>
void put(EncodedHeader& bytes, std::size_t offset, T value) {
    for (std::size_t k = 0; k < sizeof value; ++k)
        bytes[offset + k] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * k));
}

template <class T>
T get(const EncodedHeader& bytes, std::size_t offset) {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < sizeof(T); ++k) value |= static_cast<std::uint64_t>(bytes[offset + k]) << (8 * k);
    return static_cast<T>(value);
}

}  // namespace

EncodedHeader encode(const FrameHeader& header) {
    EncodedHeader bytes{};
    put(bytes, 0, magic);
    put(bytes, 4, frame_version);
    put(bytes, 5, static_cast<std::uint8_t>(header.type));
    put(bytes, 6, header.flags);
    put(bytes, 8, header.device);
    put(bytes, 12, header.body_bytes);
    put(bytes, 16, header.data_bytes);
    put(bytes, 24, header.request);
    put(bytes, 32, header.received);
    put(bytes, 40, header.consumed);
    put(bytes, checked_bytes, crc32c(std::span(bytes).first(checked_bytes)));
    return bytes;
}

FrameHeader decode(const EncodedHeader& bytes, const FrameLimits& limits) {
    if (get<std::uint32_t>(bytes, 0) != magic) throw TransportError("the peer does not use Trellis' protocol");
    if (get<std::uint8_t>(bytes, 4) != frame_version)
        throw TransportError("the peer sends frames of version " + std::to_string(get<std::uint8_t>(bytes, 4)) +
                             ", this Trellis needs version " + std::to_string(frame_version));
    if (get<std::uint32_t>(bytes, checked_bytes) != crc32c(std::span(bytes).first(checked_bytes)))
        throw TransportError("a frame's header has a wrong checksum");
    const auto type = get<std::uint8_t>(bytes, 5);
    if (type < static_cast<std::uint8_t>(FrameType::hello) || type > static_cast<std::uint8_t>(FrameType::chunk))
        throw TransportError("a frame has the unknown type " + std::to_string(type));
    FrameHeader header;
    header.type = static_cast<FrameType>(type);
    header.flags = get<std::uint16_t>(bytes, 6);
    header.device = get<std::uint32_t>(bytes, 8);
    header.body_bytes = get<std::uint32_t>(bytes, 12);
    header.data_bytes = get<std::uint64_t>(bytes, 16);
    header.request = get<std::uint64_t>(bytes, 24);
    header.received = get<std::uint64_t>(bytes, 32);
    header.consumed = get<std::uint64_t>(bytes, 40);
    if (header.body_bytes > limits.body_bytes || header.data_bytes > limits.data_bytes)
        throw TransportError("a frame announces " + std::to_string(header.body_bytes) + " and " +
                             std::to_string(header.data_bytes) + " bytes: allowed are " +
                             std::to_string(limits.body_bytes) + " and " + std::to_string(limits.data_bytes));
    return header;
}

}  // namespace trellis
