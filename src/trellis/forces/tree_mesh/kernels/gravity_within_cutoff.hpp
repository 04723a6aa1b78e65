// Gravity without its long-range part, which a mesh adds: for pairs, and for expansions, within a cutoff.
#pragma once

#include "trellis/base/math.hpp"
#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/tree_mesh/kernels/long_range_part.hpp"

namespace trellis {

// phi_i = -G sum m_j (1 / sqrt(r_ij^2 + epsilon^2) - L(r_ij)) for r_ij < cutoff, 0 beyond; a_i = -grad phi_i. With the
// mesh's -G sum m_j L(r_ij) the whole is Plummer-softened gravity; L does not depend on the softening.
struct GravityWithinCutoff {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Gravity::Result;
    using Strength = Gravity::Strength;
    static constexpr bool strength_has_one_sign = Gravity::strength_has_one_sign;

    Constant epsilon2;  // softening length squared
    S2LongRange long_range;
    double cutoff;  // at most the diameter of S2
    double G = 1;   // the gravitational constant in the units of the particles

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        add_pull(j[position] - i[position], j[mass], epsilon2, sum);
    }

    // Adds the pull of a mass m at d. widening: the softening squared.
    template <class V>
    TRELLIS_INLINE void add_pull(const Vec3<V>& d, const V& m, const auto& widening, auto& sum) const {
        using namespace fields;
        const V r2 = d.x * d.x + (d.y * d.y + d.z * d.z);
        const V rinv = rsqrt(V(r2 + widening));
        const auto smooth = long_range.radial<2>(r2, MathOf<V>::constant(1));
        const V m_within = select(r2 < MathOf<V>::constant(cutoff * cutoff), m, 0.0f);
        sum[potential] -= m_within * (rinv - smooth[0]);
        sum[acceleration] += m_within * (rinv * rinv * rinv + smooth[1]) * d;
    }

    // The radial derivatives of f(r) = 1 / sqrt(r^2 + epsilon^2) - L(r): see Expandable.
    template <int N, class V>
    TRELLIS_HOST_DEVICE std::array<V, N> radial(const V& r2, const V& unit2) const {
        auto g_n = Gravity::radial_of<N>(V(r2 + epsilon2), unit2);
        const auto smooth = long_range.radial<N>(r2, unit2);
        const auto within = r2 < MathOf<V>::constant(cutoff * cutoff);
        for (std::size_t n = 0; n < g_n.size(); ++n) g_n[n] = select(within, V(g_n[n] - smooth[n]), 0.0f);
        return g_n;
    }

    TRELLIS_HOST_DEVICE void far_field(const auto& i, const auto& phi, const auto& gradient, auto& sum) const {
        Gravity().far_field(i, phi, gradient, sum);
    }

    double coupling() const { return G; }
    double softening_length() const { return Gravity{epsilon2}.softening_length(); }

    TRELLIS_HOST_DEVICE void finish(auto& sum) const { Gravity{{0}, G}.finish(sum); }
};

}  // namespace trellis
