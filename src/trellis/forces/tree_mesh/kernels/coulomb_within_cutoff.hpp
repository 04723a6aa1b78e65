// Coulomb's force without its long-range part, which a mesh adds: for pairs, and for expansions, within a cutoff.
#pragma once

#include "trellis/forces/tree_mesh/kernels/charge.hpp"
#include "trellis/forces/tree_mesh/kernels/gravity_within_cutoff.hpp"

namespace trellis {

// phi_i = (q_i / m_i) c sum q_j (1 / sqrt(r_ij^2 + epsilon^2) - L(r_ij)) for r_ij < cutoff, 0 beyond, an energy per
// mass; a_i = -grad phi_i.
struct CoulombWithinCutoff {
    using Target = Fields<Position, Charge, Mass>;
    using Source = Fields<Position, Charge>;
    using Result = Gravity::Result;
    using Strength = Charge;

    GravityWithinCutoff attraction;  // between charges of opposite signs; its G is c

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        attraction.add_pull(j[position] - i[position], -(i[charge] / i[mass]) * j[charge], attraction.epsilon2, sum);
    }

    template <int N, class V>
    TRELLIS_HOST_DEVICE std::array<V, N> radial(const V& r2, const V& unit2) const {
        return attraction.radial<N>(r2, unit2);
    }

    TRELLIS_HOST_DEVICE void far_field(const auto& i, const auto& phi, const auto& gradient, auto& sum) const {
        using namespace fields;
        const auto response = i[charge] / i[mass];
        sum[potential] += response * phi;
        sum[acceleration] -= response * gradient;
    }

    double coupling() const { return attraction.coupling(); }
    double softening_length() const { return attraction.softening_length(); }

    TRELLIS_HOST_DEVICE void finish(auto& sum) const { attraction.finish(sum); }
};

}  // namespace trellis
