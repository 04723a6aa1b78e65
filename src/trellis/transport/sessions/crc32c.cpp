#include "trellis/transport/sessions/crc32c.hpp"

#include <array>

namespace trellis {

namespace {

constexpr std::uint32_t reflected_polynomial = 0x82f63b78;

constexpr std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> remainders{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? reflected_polynomial : 0);
        remainders[byte] = rest;
    }
    return remainders;
}();

}  // namespace

// One byte at a time is fast enough for headers of 48 bytes.
std::uint32_t crc32c(std::span<const std::byte> bytes) {
    std::uint32_t rest = ~std::uint32_t{0};
    for (const std::byte byte : bytes) rest = (rest >> 8) ^ table[(rest ^ static_cast<std::uint32_t>(byte)) & 0xff];
    return ~rest;
}

}  // namespace trellis
