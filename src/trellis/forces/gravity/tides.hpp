// The tidal field of softened gravity, by which time steps may be chosen.
#pragma once

#include <cmath>

#include "trellis/base/math.hpp"
#include "trellis/forces/interaction.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

// The tensor -d^2 phi / dx_a dx_b = G sum m_j (3 d_a d_b / s^5 - delta_ab / s^3), where d = x_j - x_i and s^2 = d^2 +
// epsilon^2.
struct TidesDiagonal : Field<Vec3<double>, "tides_diagonal", "1 / time^2", "tidal tensor: xx, yy, zz"> {};
struct TidesBeside : Field<Vec3<double>, "tides_beside", "1 / time^2", "tidal tensor: xy, yz, zx"> {};
namespace fields {
inline constexpr TidesDiagonal tides_diagonal;
inline constexpr TidesBeside tides_beside;
}  // namespace fields

struct Tides {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<TidesDiagonal, TidesBeside>;

    Constant epsilon2;  // softening length squared
    double G = 1;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        add_tides(j[position] - i[position], j[mass], epsilon2, sum);
    }

    // widening: the softening squared, which is added to d^2.
    template <class V>
    TRELLIS_INLINE static void add_tides(const Vec3<V>& d, const V& m, const auto& widening, auto& sum) {
        using namespace fields;
        const auto rinv = rsqrt(d.x * d.x + (d.y * d.y + (d.z * d.z + widening)));
        const auto rinv2 = rinv * rinv, m_r3 = m * rinv * rinv2, weight = 3 * m_r3 * rinv2;
        const auto x = weight * d.x, y = weight * d.y, z = weight * d.z;
        sum[tides_diagonal].x += x * d.x - m_r3;
        sum[tides_diagonal].y += y * d.y - m_r3;
        sum[tides_diagonal].z += z * d.z - m_r3;
        sum[tides_beside].x += x * d.y;
        sum[tides_beside].y += y * d.z;
        sum[tides_beside].z += z * d.x;
    }

    double softening_length() const { return std::sqrt(epsilon2.value); }

    TRELLIS_HOST_DEVICE void finish(auto& sum) const {
        using namespace fields;
        sum[tides_diagonal] *= G;
        sum[tides_beside] *= G;
    }
};

// The same with a softening of each particle: see GravityBetweenSoftenings.
struct TidesBetweenSoftenings {
    using Target = Fields<Position, SofteningLength>;
    using Source = Fields<Position, Mass, SofteningLength>;
    using Result = Tides::Result;
    using Softening = SofteningLength;

    double G = 1;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        Tides::add_tides(j[position] - i[position], j[mass], widening_of(i[softening]) + widening_of(j[softening]),
                         sum);
    }

    TRELLIS_HOST_DEVICE void finish(auto& sum) const { Tides{{0}, G}.finish(sum); }
};

}  // namespace trellis
