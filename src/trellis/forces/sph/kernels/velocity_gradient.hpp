// The flow of the gas around a particle: for the switches of the artificial viscosity, and to predict smoothing
// lengths. The neighbours are counted, too, since lengths are final here.
#pragma once

#include <type_traits>

#include "trellis/forces/short_range.hpp"
#include "trellis/forces/sph/kernels/fields.hpp"
#include "trellis/forces/sph/kernels/smoothing_kernel.hpp"

namespace trellis {

// div v = -(drho/dt) / rho with the derivative of the density sum, h(rho) included (Price 2012, equation 74); curl v in
// the same way.
template <class Kernel>
struct VelocityGradient {
    using Target = Fields<Position, SmoothingLength, InverseLength, Velocity, Density, ForceWeight>;
    using Source = Fields<Position, Mass, Velocity>;
    using Result = Fields<VelocityDivergence, VelocityCurl, NeighbourNumber>;
    using Search = Gather<SmoothingLength>;

    TRELLIS_INLINE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        using V = std::remove_cvref_t<decltype(j[mass])>;
        const auto d = j[position] - i[position];
        const auto v = j[velocity] - i[velocity];
        const V r2 = dot(d, d), r_inverse = rsqrt(r2), q = r2 * r_inverse * i[inverse_length];
        const V w = j[mass] * Kernel::gradient(q, V(i[smoothing_length] * r_inverse));
        sum[velocity_divergence] -= w * dot(v, d);
        sum[velocity_curl] += w * cross(v, d);
        sum[neighbour_number] += V(1.0f);
    }

    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const {
        using namespace fields;
        const auto scale = i[density] * i[force_weight];
        sum[velocity_divergence] *= scale;
        sum[velocity_curl] *= scale;
    }
};

}  // namespace trellis
