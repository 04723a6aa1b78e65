#include "trellis/transport/crc32c.hpp"

#include <array>
#include <cstring>

namespace trellis {

namespace {

// One byte at a time, for processors without an instruction for it.
std::uint32_t by_table(std::uint32_t rest, std::span<const std::byte> bytes) {
    constexpr std::uint32_t reflected_polynomial = 0x82f63b78;
    static constexpr std::array<std::uint32_t, 256> table = [] {
        std::array<std::uint32_t, 256> remainders{};
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
            std::uint32_t left = byte;
            for (int bit = 0; bit < 8; ++bit) left = (left >> 1) ^ ((left & 1) != 0 ? reflected_polynomial : 0);
            remainders[byte] = left;
        }
        return remainders;
    }();
    for (const std::byte byte : bytes) rest = (rest >> 8) ^ table[(rest ^ static_cast<std::uint32_t>(byte)) & 0xff];
    return rest;
}

#if defined(__x86_64__)
[[gnu::target("sse4.2")]] std::uint32_t by_instruction(std::uint32_t rest, std::span<const std::byte> bytes) {
    for (; bytes.size() >= sizeof(std::uint64_t); bytes = bytes.subspan(sizeof(std::uint64_t))) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), sizeof word);
        rest = static_cast<std::uint32_t>(__builtin_ia32_crc32di(rest, word));
    }
    for (const std::byte byte : bytes) rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(byte));
    return rest;
}
const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
#else
constexpr auto by_instruction = by_table;
constexpr bool has_instruction = false;
#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
    return ~(has_instruction ? by_instruction : by_table)(~std::uint32_t{0}, bytes);
}

}  // namespace trellis
