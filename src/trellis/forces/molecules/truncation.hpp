// The Lennard-Jones potential of one pair in reduced units, and its end at the cutoff.
#pragma once

#include <cstdint>

#include "trellis/base/error.hpp"
#include "trellis/base/math.hpp"

namespace trellis {

// The end of u(r) = 4 epsilon ((sigma / r)^12 - (sigma / r)^6) at the cutoff c. plain: u jumps to 0. energy_shifted:
// u(r) - u(c), whose force jumps. force_shifted: u(r) - u(c) - (r - c) u'(c), whose force does not jump. switched:
// u(r) S(x), S = 1 - 10 x^3 + 15 x^4 - 6 x^5, x = (r - s) / (c - s) from the switching distance s on: neither the force
// nor its derivative jumps (OpenMM's and GROMACS's switching function; Mei, Davenport & Fernando 1991).
enum class Truncation : std::uint8_t { plain, energy_shifted, force_shifted, switched };

// The ratio of the switching distance to the cutoff, where none is given.
inline constexpr double default_switch_ratio = 0.9;

// The end of the potential of a pair as a line, constant + slope r. Shifted: the constant is added to u / 4 epsilon,
// and slope r, with slope = u'(c) / 24 epsilon, to -r u' / 24 epsilon. Switched: the line is x.
struct TruncationLine {
    double constant = 0, slope = 0;
};

inline TruncationLine truncation_line(Truncation truncation, double squared_sigma, double cutoff, double switch_ratio) {
    if (truncation == Truncation::plain) return {};
    if (truncation == Truncation::switched) {
        const double width = 1 - switch_ratio;
        return {-switch_ratio / width, 1 / (width * cutoff)};
    }
    const double s2 = squared_sigma / (cutoff * cutoff), s6 = s2 * s2 * s2;
    TruncationLine line{s6 - s6 * s6, 0};
    if (truncation == Truncation::energy_shifted) return line;
    const double outward = 2 * s6 * s6 - s6;
    line.constant -= 6 * outward;
    line.slope = -outward / cutoff;
    return line;
}

// Throws InputError unless the ratio is at least 0 and below 1.
inline void check_switch_ratio(double ratio) {
    if (!(ratio >= 0 && ratio < 1))
        throw InputError("switch_ratio is " + to_text(ratio) + ": allowed is at least 0 and below 1");
}

// The constant of a potential that is not shifted, and the depth of one kind of atoms in units of its own.
struct NoConstant {
    template <class V>
    friend TRELLIS_INLINE V operator+(const V& x, NoConstant) {
        return x;
    }
};
struct UnitDepth {
    template <class V>
    friend TRELLIS_INLINE V operator*(const V& x, UnitDepth) {
        return x;
    }
};

// In units of an epsilon.
template <class V>
struct ReducedPair {
    V energy;   // u / 4 epsilon
    V outward;  // r.f / 24 epsilon
};

// s2: sigma^2 / r^2. depth: epsilon of this pair over that of the units. constant, slope: of the TruncationLine; where
// it is shifted, times the depth. Powers in units of sigma stay within the range of float for atoms of any size.
template <class V, class Depth, class ConstantOf, class SlopeOf>
TRELLIS_HOST_DEVICE __attribute__((always_inline)) inline ReducedPair<V> reduced_pair(Truncation truncation,
                                                                                      const V& r2, const V& s2,
                                                                                      const Depth& depth,
                                                                                      const ConstantOf& constant,
                                                                                      const SlopeOf& slope) {
    const V s6 = s2 * s2 * s2;
    const V attraction = s6 * depth;
    const V repulsion = attraction * s6;
    if (truncation == Truncation::switched) {
        const V zero = MathOf<V>::constant(0);
        const V r = sqrt(r2), x = max(V(r * slope + constant), zero), energy = repulsion - attraction;
        const V taper = 1.0f - x * x * x * (10.0f + x * (6.0f * x - 15.0f));
        const V left = 1.0f - x;
        const V steepness = 5.0f * (x * x) * (left * left) * (r * slope);  // -r S' / 6
        return {energy * taper, (energy + repulsion) * taper + energy * steepness};
    }
    ReducedPair<V> pair{(repulsion - attraction) + constant, (repulsion - attraction) + repulsion};
    if (truncation == Truncation::force_shifted) {
        const auto pull = sqrt(r2) * slope;
        pair.energy -= 6.0f * pull;
        pair.outward += pull;
    }
    return pair;
}

}  // namespace trellis
