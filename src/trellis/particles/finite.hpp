// Tests whether numbers are finite, many at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace trellis {

// The exponent of infinities and of what is no number has all bits set: it alone overflows into the sign when a lowest
// bit is added. Without branches, many values are looked at together.
inline bool all_finite(std::span<const double> values) {
    constexpr std::uint64_t exponent = 0x7ff0000000000000, lowest = 0x0010000000000000;
    std::uint64_t overflow = 0;
    for (const double value : values) overflow |= (std::bit_cast<std::uint64_t>(value) & exponent) + lowest;
    return overflow >> 63 == 0;
}

}  // namespace trellis
