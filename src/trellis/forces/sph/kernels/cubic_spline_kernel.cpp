#include "trellis/forces/sph/kernels/make_sph_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

SphKernels cubic_spline_kernels(int dimensions, const Conductivity& conductivity, const SelfGravity& gravity) {
    return make_sph_kernels<CubicSpline>(dimensions, conductivity, gravity);
}

TRELLIS_ISA_END
}  // namespace trellis
