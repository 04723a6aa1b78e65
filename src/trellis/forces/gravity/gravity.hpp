// Newtonian gravity with Plummer softening, one length for all particles.
#pragma once

#include <array>

#include "trellis/base/math.hpp"
#include "trellis/forces/interaction.hpp"

namespace trellis {

// phi_i = -G sum m_j / sqrt(r_ij^2 + epsilon^2), a_i = -grad phi_i. 23 operations an interaction, the field's
// convention for the monopole force with potential.
struct Gravity {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration, Potential>;
    using Strength = Mass;  // >= 0: a cell has no dipole about its centre of mass
    static constexpr bool strength_has_one_sign = true;

    Constant epsilon2;  // softening length squared
    double G = 1;       // the gravitational constant in the units of the particles

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        add_pull(j[position] - i[position], j[mass], epsilon2, sum);
    }

    // widening: the softening squared, which is added to r^2.
    template <class V>
    TRELLIS_INLINE static void add_pull(const Vec3<V>& d, const V& m, const auto& widening, auto& sum) {
        using namespace fields;
        // dot(d, d) + widening, in an order that takes three multiply-adds only.
        const auto r2 = d.x * d.x + (d.y * d.y + (d.z * d.z + widening));
        const auto rinv = rsqrt(r2);
        const auto m_r = m * rinv;
        sum[potential] -= m_r;
        sum[acceleration] += m_r * (rinv * rinv) * d;
    }

    // f = 1 / sqrt(r^2 + epsilon^2): g_(n+1) = -(2n + 1) g_n / (r^2 + epsilon^2).
    template <int N, class V>
    TRELLIS_HOST_DEVICE std::array<V, N> radial(const V& r2, const V& unit2) const {
        return radial_of<N>(V(r2 + epsilon2), unit2);
    }

    template <int N, class V>
    TRELLIS_INLINE static std::array<V, N> radial_of(const V& softened_r2, const V& unit2) {
        std::array<V, N> g_n;
        g_n[0] = rsqrt(softened_r2);
        const V ratio = unit2 * (g_n[0] * g_n[0]);
        for (int n = 0; n + 1 < N; ++n) g_n[n + 1] = static_cast<float>(-(2 * n + 1)) * (ratio * g_n[n]);
        return g_n;
    }

    TRELLIS_HOST_DEVICE void far_field(const auto&, const auto& phi, const auto& gradient, auto& sum) const {
        using namespace fields;
        sum[potential] -= phi;
        sum[acceleration] += gradient;
    }

    double coupling() const { return G; }

    TRELLIS_HOST_DEVICE void finish(auto& sum) const {
        using namespace fields;
        sum[potential] *= G;
        sum[acceleration] *= G;
    }
};

}  // namespace trellis
