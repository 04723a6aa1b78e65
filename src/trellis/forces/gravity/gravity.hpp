// Newtonian gravity with Plummer softening, one length for all particles.
#pragma once

#include <array>
#include <cmath>
#include <limits>

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

    // The same formula where never_singular() is true.
    struct NeverSingular;
    // True if r^2 + epsilon^2 is above 0 in precision R whatever r is.
    template <class R>
    bool never_singular() const {
        return epsilon2.value >= double{std::numeric_limits<R>::min()};
    }

    // widening: the softening squared, which is added to r^2.
    template <class V>
    TRELLIS_INLINE static void add_pull(const Vec3<V>& d, const V& m, const auto& widening, auto& sum) {
        add_pull_of(d, m, rsqrt(softened_square(d, widening)), sum);
    }

    // dot(d, d) + widening, in an order that takes three multiply-adds only.
    template <class V>
    TRELLIS_INLINE static V softened_square(const Vec3<V>& d, const auto& widening) {
        return d.x * d.x + (d.y * d.y + (d.z * d.z + widening));
    }

    // rinv: the reciprocal of the softened distance.
    template <class V>
    TRELLIS_INLINE static void add_pull_of(const Vec3<V>& d, const V& m, const V& rinv, auto& sum) {
        using namespace fields;
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
    double softening_length() const { return std::sqrt(epsilon2.value); }

    TRELLIS_HOST_DEVICE void finish(auto& sum) const {
        using namespace fields;
        sum[potential] *= G;
        sum[acceleration] *= G;
    }
};

struct Gravity::NeverSingular : Gravity {
    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        const auto d = j[position] - i[position];
        add_pull_of(d, j[mass], rsqrt_of_positive(softened_square(d, epsilon2)), sum);
    }
};

}  // namespace trellis
