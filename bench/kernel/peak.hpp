// The peak of one core in single-precision operations a second: independent chains of multiply-adds in registers.
#pragma once

#include <cstddef>

#include "trellis/base/isa.hpp"

namespace bench {

// Chains in use: two units of latency 4 need 8 chains to be busy, and a few more not to wait for each other; AVX2 has
// registers for 14 at most.
inline constexpr std::size_t enough_chains = 12;

using Vector16 [[gnu::vector_size(16)]] = float;
using Vector32 [[gnu::vector_size(32)]] = float;
using Vector64 [[gnu::vector_size(64)]] = float;

// Runs the given number of rounds and returns their operations. Sums converge to 1, so nothing overflows or becomes
// subnormal.
template <class V, std::size_t chains = enough_chains>
[[gnu::always_inline]] inline double multiply_add(std::size_t rounds) {
    volatile float opaque = 0.999F;
    const float shrink = opaque;
    const V factor = V{} + shrink, addend = V{} + (1.0F - shrink);
    V sums[chains];
    for (std::size_t k = 0; k < chains; ++k) sums[k] = V{} + static_cast<float>(k);
    for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
        for (std::size_t k = 0; k < chains; ++k) sums[k] = sums[k] * factor + addend;
    }
    V total{};
    for (std::size_t k = 0; k < chains; ++k) total += sums[k];
    opaque = total[0];
    return 2.0 * static_cast<double>(rounds * chains * sizeof(V) / sizeof(float));
}

#if defined(__x86_64__)
[[gnu::target("arch=x86-64-v4")]] inline double multiply_add_v4(std::size_t rounds) {
    return multiply_add<Vector64>(rounds);
}
[[gnu::target("arch=x86-64-v3")]] inline double multiply_add_v3(std::size_t rounds) {
    return multiply_add<Vector32>(rounds);
}
[[gnu::target("arch=x86-64-v2")]] inline double multiply_add_v2(std::size_t rounds) {
    return multiply_add<Vector16>(rounds);
}
inline double multiply_add(trellis::Isa isa, std::size_t rounds) {
    if (isa == trellis::Isa::v4) return multiply_add_v4(rounds);
    return isa == trellis::Isa::v3 ? multiply_add_v3(rounds) : multiply_add_v2(rounds);
}
#else
inline double multiply_add(trellis::Isa, std::size_t rounds) { return multiply_add<Vector16>(rounds); }
#endif

}  // namespace bench
