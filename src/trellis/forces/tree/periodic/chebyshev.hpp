// Polynomials through values at Chebyshev points.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "trellis/base/isa.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Point `number` of `count` between -1 and 1: a zero of the Chebyshev polynomial T_count.
inline double chebyshev_point(std::size_t number, std::size_t count) {
    const auto half_steps = static_cast<double>(2 * number + 1);
    return std::cos(std::numbers::pi * half_steps / static_cast<double>(2 * count));
}

// The polynomial that is 1 at a point and 0 at the others is the sum over k of weight[point][k] T_k(x).
template <std::size_t Count>
struct ChebyshevTable {
    std::array<std::array<double, Count>, Count> weight;

    ChebyshevTable() {
        for (std::size_t point = 0; point < Count; ++point)
            for (std::size_t k = 0; k < Count; ++k) {
                const double angle = std::acos(chebyshev_point(point, Count));
                weight[point][k] =
                    (k == 0 ? 1.0 : 2.0) / static_cast<double>(Count) * std::cos(static_cast<double>(k) * angle);
            }
    }
};

TRELLIS_ISA_END
}  // namespace trellis
