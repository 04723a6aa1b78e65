// Gravity between particles with a softening each, without its long-range part, which a mesh adds: within a cutoff.
#pragma once

#include "trellis/forces/tree_mesh/kernels/gravity_within_cutoff.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

// phi_i = -G sum m_j (1 / sqrt(r_ij^2 + w) - L(r_ij)) for r_ij < cutoff, w = (e_i^2 + e_j^2) / 2, 0 beyond; a_i = -grad
// phi_i. Expansions, which know r^2 + w alone, take L there: an error of 1/2 w |L'(r)| / r of the potential, less than
// that of leaving out the softening beyond the cutoff.
struct BetweenSofteningsWithinCutoff {
    using Target = Fields<Position, SofteningLength>;
    using Source = Fields<Position, Mass, SofteningLength>;
    using Result = Gravity::Result;
    using Strength = Gravity::Strength;
    using Softening = SofteningLength;
    static constexpr bool strength_has_one_sign = Gravity::strength_has_one_sign;

    GravityWithinCutoff unsoftened;  // its softening is 0

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        unsoftened.add_pull(j[position] - i[position], j[mass], widening_of(i[softening]) + widening_of(j[softening]),
                            sum);
    }

    template <int N, class V>
    TRELLIS_HOST_DEVICE std::array<V, N> radial(const V& softened_r2, const V& unit2) const {
        return unsoftened.radial<N>(softened_r2, unit2);
    }

    TRELLIS_HOST_DEVICE void far_field(const auto& i, const auto& phi, const auto& gradient, auto& sum) const {
        unsoftened.far_field(i, phi, gradient, sum);
    }

    double coupling() const { return unsoftened.coupling(); }

    TRELLIS_HOST_DEVICE void finish(auto& sum) const { unsoftened.finish(sum); }
};

}  // namespace trellis
