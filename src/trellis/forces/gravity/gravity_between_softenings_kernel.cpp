#include "trellis/forces/gravity/gravity_between_softenings.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/tree/kernels/make_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

InteractionKernels gravity_between_softenings_kernels() { return make_kernels<GravityBetweenSoftenings>(); }

TRELLIS_ISA_END
}  // namespace trellis
