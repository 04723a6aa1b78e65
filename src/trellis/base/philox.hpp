// Random numbers by counter (Philox4x32-10: Salmon et al. 2011): they depend on key and counter alone, so they are the
// same in any order, on any thread or rank.
#pragma once

#include <array>
#include <cstdint>

#include "trellis/base/vec.hpp"

namespace trellis {

// The 64-bit product of the lower half of each word and a 32-bit number. Specialised in vector_words.hpp.
template <class Word>
struct ProductOf {
    TRELLIS_INLINE static Word lower_halves(const Word& a, std::uint32_t b) {
        return std::uint64_t{static_cast<std::uint32_t>(a)} * b;
    }
};

// Four random 32-bit words. Counter and result stand in the lower halves of 64-bit words, or of vectors of them; the
// upper halves are ignored in both.
template <class Word>
TRELLIS_HOST_DEVICE __attribute__((always_inline)) constexpr std::array<Word, 4> philox_in_halves(
    std::array<Word, 4> counter, std::array<std::uint32_t, 2> key) {
    using Product = ProductOf<Word>;
    for (int round = 0; round < 10; ++round) {
        const Word a = Product::lower_halves(counter[0], 0xD2511F53);
        const Word b = Product::lower_halves(counter[2], 0xCD9E8D57);
        counter = {(b >> 32) ^ counter[1] ^ std::uint64_t{key[0]}, b, (a >> 32) ^ counter[3] ^ std::uint64_t{key[1]},
                   a};
        key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
    }
    return counter;
}

// Domains, in the highest bits of the counter's last word: each use of a seed has one of its own, so that uses with the
// same seed share no numbers. Thermostats count calls in that word, of which there are fewer than 2^63.
inline constexpr std::uint32_t domain_of_thermostats = 0, domain_of_exchanges = std::uint32_t{1} << 31;
inline constexpr std::uint32_t domain_of_volumes = std::uint32_t{3} << 30;  // moves of a barostat

// Four words of random bits.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    const auto words = philox_in_halves<std::uint64_t>({counter[0], counter[1], counter[2], counter[3]}, key);
    const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    return {low(words[0]), low(words[1]), low(words[2]), low(words[3])};
}

}  // namespace trellis
