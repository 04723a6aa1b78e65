#include "trellis/forces/sph/kernels/make_sph_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

SphKernels wendland_c4_kernels(int dimensions, const Conductivity& conductivity, const SelfGravity& gravity) {
    return make_sph_kernels<WendlandC4>(dimensions, conductivity, gravity);
}

TRELLIS_ISA_END
}  // namespace trellis
