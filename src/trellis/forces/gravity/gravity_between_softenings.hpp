// Newtonian gravity with Plummer softening, a length for each particle.
#pragma once

#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

// phi_i = -G sum m_j / sqrt(r_ij^2 + (e_i^2 + e_j^2) / 2), a_i = -grad phi_i: symmetric in i and j, so that momentum
// and energy are conserved (Saitoh & Makino 2012; their lengths are these over the square root of 2).
struct GravityBetweenSoftenings {
    using Target = Fields<Position, SofteningLength>;
    using Source = Fields<Position, Mass, SofteningLength>;
    using Result = Gravity::Result;
    using Strength = Gravity::Strength;
    using Softening = SofteningLength;
    static constexpr bool strength_has_one_sign = Gravity::strength_has_one_sign;

    double G = 1;  // the gravitational constant in the units of the particles

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        Gravity::add_pull(j[position] - i[position], j[mass], widening_of(i[softening]) + widening_of(j[softening]),
                          sum);
    }

    template <int N, class V>
    TRELLIS_HOST_DEVICE std::array<V, N> radial(const V& softened_r2, const V& unit2) const {
        return Gravity::radial_of<N>(softened_r2, unit2);
    }

    TRELLIS_HOST_DEVICE void far_field(const auto& i, const auto& phi, const auto& gradient, auto& sum) const {
        Gravity().far_field(i, phi, gradient, sum);
    }

    double coupling() const { return G; }

    TRELLIS_HOST_DEVICE void finish(auto& sum) const { Gravity{{0}, G}.finish(sum); }
};

}  // namespace trellis
