// The Lennard-Jones force between atoms of one kind, cut off.
#pragma once

#include <cstdint>

#include "trellis/forces/molecules/truncation.hpp"
#include "trellis/forces/short_range.hpp"

namespace trellis {

// The potential is per mass, as that of gravity: phi_i = sum u(r_ij) / m_i, and half the sum of m_i phi_i is the
// energy. The virial is not per mass: w_i = sum r_ij . f_ij = -sum r u'(r), so that the pressure of N atoms at
// temperature T is (N k T + sum w_i / 6) / V.
struct LennardJones {
    using Target = Fields<Position, Mass>;
    using Source = Fields<Position>;
    using Result = Fields<Acceleration, Potential, Virial>;
    using Search = Cutoff;

    double cutoff, epsilon;
    Truncation truncation;
    std::uint8_t padding[7] = {};     // ensembles compare interactions byte by byte
    Constant sigma2, shift, tension;  // shift, tension: the TruncationLine

    LennardJones(double epsilon, double sigma, double cutoff, Truncation truncation,
                 double switch_ratio = default_switch_ratio)
        : cutoff(cutoff), epsilon(epsilon), truncation(truncation), sigma2{sigma * sigma} {
        const TruncationLine line = truncation_line(truncation, sigma2.value, cutoff, switch_ratio);
        shift.value = line.constant;
        tension.value = line.slope;
    }

    // A division costs less here than an approximate reciprocal made precise.
    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        const auto d = j[position] - i[position];
        const auto r2 = dot(d, d);
        const auto inverse = 1.0f / r2;
        const auto pair = reduced_pair(truncation, r2, inverse * sigma2, UnitDepth{}, shift, tension);
        sum[potential] += pair.energy;
        sum[virial] += pair.outward;
        sum[acceleration] -= (pair.outward * inverse) * d;
    }

    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const {
        using namespace fields;
        sum[potential] *= 4 * epsilon / i[mass];
        sum[virial] *= 24 * epsilon;
        sum[acceleration] *= 24 * epsilon / i[mass];
    }
};

}  // namespace trellis
