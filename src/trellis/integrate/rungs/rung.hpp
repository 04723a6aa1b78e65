// Rungs: a particle of rung r takes 2^r steps in each longest step.
#pragma once

#include <cmath>

namespace trellis {

inline constexpr unsigned deepest_rung = 24;

// The rung of the longest step that is at most `share` of the longest of all; above deepest_rung if all are longer.
// share: above 1 or infinite where forces allow more.
inline unsigned rung_of(double share) {
    if (share >= 1) return 0;
    if (!(share >= std::ldexp(1.0, -static_cast<int>(deepest_rung)))) return deepest_rung + 1;
    return static_cast<unsigned>(-std::ilogb(share));  // ceil(-log2(share))
}

}  // namespace trellis
