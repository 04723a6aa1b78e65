// The density of a gas, and how it changes with the smoothing length.
#pragma once

#include <type_traits>

#include "trellis/forces/short_range.hpp"
#include "trellis/forces/sph/kernels/fields.hpp"
#include "trellis/forces/sph/kernels/smoothing_kernel.hpp"

namespace trellis {

// rho_i = sum m_j W(r_ij, h_i), with i itself among the j, and its first two derivatives by h_i.
template <class Kernel>
struct DensitySum {
    using Target = Fields<Position, SmoothingLength, Mass>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Density, DensitySlope, DensityCurvature>;
    using Search = Gather<SmoothingLength>;

    TRELLIS_INLINE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        using V = std::remove_cvref_t<decltype(j[mass])>;
        const auto d = j[position] - i[position];
        const V h_inverse = 1.0f / i[smoothing_length];  // the same for all j: the compiler moves it out of the loop
        const V q2 = dot(d, d) * (h_inverse * h_inverse), q_inverse = rsqrt(q2), q = q2 * q_inverse;
        sum[density] += j[mass] * Kernel::value(q);
        sum[density_slope] += j[mass] * (q2 * Kernel::gradient(q, q_inverse));
        sum[density_curvature] += j[mass] * (q2 * Kernel::curvature(q));
    }

    // h dW/dh = -norm h^-d (d w + q w'), and (h d/dh)^2 W = norm h^-d (d^2 w + (2 d + 1) q w' + q^2 w'').
    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const {
        using namespace fields;
        constexpr int d = Kernel::dimensions;
        const auto h = i[smoothing_length];
        const auto scale = Kernel::norm / power<d>(h);
        const auto rho = scale * (sum[density] + i[mass] * Kernel::value(0.0));
        const auto slope = scale * sum[density_slope], curvature = scale * sum[density_curvature];
        const auto first = -(d * rho + slope), second = d * d * rho + (2 * d + 1) * slope + curvature;
        sum[density] = rho;
        sum[density_slope] = first / h;
        sum[density_curvature] = (second - first) / (h * h);
    }
};

// omega = 1 + h / (d rho) drho/dh, >= 0: forces are divided by it, since h changes with the density (Springel &
// Hernquist 2002). 0 only for a particle without neighbours.
inline double omega(int dimensions, double h, double rho, double drho_dh) {
    return 1 + h * drho_dh / (dimensions * rho);
}

}  // namespace trellis
