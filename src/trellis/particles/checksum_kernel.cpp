#include "trellis/particles/checksum_kernel.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

// High bits, such as signs, would not reach the low bits of a product.
[[gnu::always_inline]] inline std::uint64_t folded(std::uint64_t word) { return word ^ (word >> 32); }

// Sums that do not wait for each other.
constexpr std::size_t lanes_at_once = 32;

}  // namespace

// Polynomials of the words modulo 2^64, one for each lane.
std::uint64_t checksum_of_words(const std::uint64_t* words, std::size_t count) {
    std::uint64_t sums[lanes_at_once] = {};
    std::size_t first = 0;
    for (; first + lanes_at_once <= count; first += lanes_at_once)
        for (std::size_t lane = 0; lane < lanes_at_once; ++lane)
            sums[lane] = sums[lane] * checksum_factor + folded(words[first + lane]);
    std::uint64_t rest = count;
    for (; first < count; ++first) rest = rest * checksum_factor + folded(words[first]);
    for (std::size_t half = lanes_at_once / 2; half > 0; half /= 2)
        for (std::size_t lane = 0; lane < half; ++lane)
            sums[lane] = folded(sums[lane]) * checksum_factor + folded(sums[lane + half]);
    return folded(sums[0]) * checksum_factor + folded(rest);
}

TRELLIS_ISA_END
}  // namespace trellis
