// Gravity softened by the smoothing kernel (Price & Monaghan 2007): the correction, within the smoothing lengths, to
// that of points with Plummer's softening.
//
// A particle's potential at another one is -m psi, psi the mean of psi(r, h) of both sides. From r = h on, psi is
// Plummer's, p = (r^2 + epsilon^2)^(-1/2), epsilon that of all particles or of the pair (tree/softening.hpp). Below,
// the mass that Plummer's attraction at h shows, (h s)^3 with s = p(h), is spread as the kernel, so that neither
// potential nor attraction jumps:
//     psi = s^3 h^2 (depth(q) - 1) + s,   -(dpsi/dr) / r = s^3 pull(q).
// The energy is -G/2 sum m_i m_j psi(r_ij, h_i), j other than i. As h follows the density,
//     dv_i/dt = G/2 sum m_j (A_i + A_j) r_ij,   A_i = -(dpsi_i/dr) / r + Z_i / (3 rho_i omega_i) h_i (dW/dr) / r,   Z_i
//     = sum m_j dpsi/dh_i,
// the last term with the gradient of W(r, h_i) as in hydro.hpp. What follows is for psi - p.
#pragma once

#include <type_traits>

#include "trellis/forces/short_range.hpp"
#include "trellis/forces/sph/kernels/fields.hpp"
#include "trellis/forces/sph/kernels/kernel_gravity.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

// The softening of points, one for all particles.
struct OneSoftening {
    template <class... F>
    using With = Fields<F...>;

    Constant epsilon2;

    TRELLIS_INLINE const Constant& widening(const auto&, const auto&) const { return epsilon2; }
};

// The softening of points, one for each particle.
struct SofteningOfEachPoint {
    template <class... F>
    using With = Fields<F..., SofteningLength>;

    TRELLIS_INLINE auto widening(const auto& i, const auto& j) const {
        return widening_of(i[fields::softening]) + widening_of(j[fields::softening]);
    }
};

// Z h over 3 rho omega, times norm h^-5: by the gradient of the kernel it is force_weight_of (hydro.hpp) with a
// pressure of Z h rho / 3.
inline double softening_weight_of(double h, double rho, double potential_slope, double force_weight) {
    return potential_slope * h * rho / 3 * force_weight;
}

// The sum Z.
template <class Kernel, class Points>
struct PotentialSlopeSum {
    using Target = typename Points::template With<Position, SmoothingLength, InverseLength>;
    using Source = typename Points::template With<Position, Mass>;
    using Result = Fields<PotentialSlope>;
    using Search = Gather<SmoothingLength>;

    Points points;

    TRELLIS_INLINE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        using V = std::remove_cvref_t<decltype(j[mass])>;
        const auto d = j[position] - i[position];
        const V q2 = dot(d, d) * (i[inverse_length] * i[inverse_length]), q_inverse = rsqrt(q2), q = q2 * q_inverse;
        const V h2 = i[smoothing_length] * i[smoothing_length], s = rsqrt(V(h2 + points.widening(i, j)));
        const V deeper = KernelGravity<Kernel>::depth(q, q_inverse) - 1.0f, s2 = s * s;
        const V pulled = q2 * KernelGravity<Kernel>::pull(q, q_inverse);
        sum[potential_slope] += j[mass] * (s2 * s) * (pulled + deeper * (2.0f - 3.0f * (h2 * s2)) - 1.0f);
    }

    // dpsi/dh = s^3 h (q^2 pull + (depth - 1) (2 - 3 h^2 s^2) - 1).
    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const {
        using namespace fields;
        sum[potential_slope] *= i[smoothing_length];
    }
};

// The corrections of accelerations and potentials.
template <class Kernel, class Points>
struct Softening {
    using Target = typename Points::template With<Position, SmoothingLength, InverseLength, SofteningWeight>;
    using Source = typename Points::template With<Position, Mass, SmoothingLength, InverseLength, SofteningWeight>;
    using Result = Fields<Acceleration, Potential>;
    using Search = Symmetric<SmoothingLength>;

    Points points;
    double G = 1;

    TRELLIS_INLINE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        using V = std::remove_cvref_t<decltype(j[mass])>;
        const auto d = j[position] - i[position];
        const auto widening = points.widening(i, j);
        const V r2 = dot(d, d), r_inverse = rsqrt(r2), r = r2 * r_inverse, p = rsqrt(V(r2 + widening));
        const V m_p = j[mass] * p, pull_of_point = m_p * (p * p);
        V pull = 0.0f, depth = 0.0f;
        const auto add = [&](const auto& side) __attribute__((always_inline)) {
            const V q = r * side[inverse_length], q_inverse = side[smoothing_length] * r_inverse;
            const V h2 = side[smoothing_length] * side[smoothing_length], s = rsqrt(V(h2 + widening));
            const V m_s = j[mass] * s, s2 = s * s;
            const V softer = m_s * s2 * KernelGravity<Kernel>::pull(q, q_inverse) - pull_of_point;
            const V deeper = m_s * (h2 * s2 * (KernelGravity<Kernel>::depth(q, q_inverse) - 1.0f)) + (m_s - m_p);
            pull += select(q < 1.0f, softer, V(0.0f));
            depth += select(q < 1.0f, deeper, V(0.0f));
            pull += j[mass] * (side[softening_weight] * Kernel::gradient(q, q_inverse));
        };
        add(i);
        add(j);
        sum[acceleration] += pull * d;
        sum[potential] -= depth;
    }

    TRELLIS_HOST_DEVICE void finish(const auto&, auto& sum) const {
        using namespace fields;
        sum[acceleration] *= 0.5 * G;
        sum[potential] *= 0.5 * G;
    }
};

}  // namespace trellis
