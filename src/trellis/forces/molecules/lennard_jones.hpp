// The Lennard-Jones force between atoms of one kind, cut off.
#pragma once

#include <cstdint>

#include "trellis/base/math.hpp"
#include "trellis/forces/short_range.hpp"

namespace trellis {

// The truncation of u(r) = 4 epsilon ((sigma / r)^12 - (sigma / r)^6) at the cutoff c. plain: u jumps to 0.
// energy_shifted: u(r) - u(c), whose force jumps. force_shifted: u(r) - u(c) - (r - c) u'(c), whose force does not
// jump.
enum class Truncation : std::uint8_t { plain, energy_shifted, force_shifted };

// The potential is per mass, as that of gravity: phi_i = sum u(r_ij) / m_i, and half the sum of m_i phi_i is the
// energy. The virial is not per mass: w_i = sum r_ij . f_ij = -sum r u'(r), so that the pressure of N atoms at
// temperature T is (N k T + sum w_i / 6) / V.
struct LennardJones {
    using Target = Fields<Position, Mass>;
    using Source = Fields<Position>;
    using Result = Fields<Acceleration, Potential, Virial>;
    using Search = Cutoff;

    double cutoff, epsilon;
    Constant sigma2;
    Constant shift;    // added to u / 4 epsilon
    Constant tension;  // u'(c) / 24 epsilon; 0 unless the force is shifted

    LennardJones(double epsilon, double sigma, double cutoff, Truncation truncation)
        : cutoff(cutoff), epsilon(epsilon), sigma2{sigma * sigma} {
        if (truncation == Truncation::plain) return;
        const double s2 = sigma2.value / (cutoff * cutoff), s6 = s2 * s2 * s2;
        shift.value = s6 - s6 * s6;
        if (truncation == Truncation::energy_shifted) return;
        const double outward = 2 * s6 * s6 - s6;
        shift.value -= 6 * outward;
        tension.value = -outward / cutoff;
    }

    // Powers in units of sigma and epsilon stay within the range of float for atoms of any size. A division costs less
    // here than an approximate reciprocal made precise.
    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        const auto d = j[position] - i[position];
        const auto r2 = d.x * d.x + (d.y * d.y + d.z * d.z);
        const auto inverse = 1.0f / r2;
        const auto s2 = inverse * sigma2;
        const auto s6 = s2 * s2 * s2;
        const auto s12 = s6 * s6;
        auto energy = (s12 - s6) + shift;  // u / 4 epsilon
        auto outward = (s12 - s6) + s12;   // r.f / 24 epsilon
        if (tension.value != 0) {
            const auto pull = sqrt(r2) * tension;
            energy -= 6.0f * pull;
            outward += pull;
        }
        sum[potential] += energy;
        sum[virial] += outward;
        sum[acceleration] -= (outward * inverse) * d;
    }

    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const {
        using namespace fields;
        sum[potential] *= 4 * epsilon / i[mass];
        sum[virial] *= 24 * epsilon;
        sum[acceleration] *= 24 * epsilon / i[mass];
    }
};

}  // namespace trellis
