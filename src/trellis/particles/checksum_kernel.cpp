#include "trellis/particles/checksum_kernel.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

// High bits, such as signs, would not reach the low bits of a product.
[[gnu::always_inline]] inline std::uint64_t folded(std::uint64_t word) { return word ^ (word >> 32); }

// The finalizer of SplitMix64 (Steele, Lea & Flood 2014). Without it, the same change in two lanes may cancel.
inline std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
    return word ^ (word >> 31);
}

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
    std::uint64_t sum = mixed(rest);
    for (std::size_t lane = 0; lane < lanes_at_once; ++lane) sum = sum * checksum_factor + mixed(sums[lane] + lane);
    return sum;
}

TRELLIS_ISA_END
}  // namespace trellis
