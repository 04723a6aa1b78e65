#include "trellis/forces/gravity/gravity_kernel.hpp"

#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/tree/kernels/make_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

InteractionKernels gravity_kernels() { return make_kernels<Gravity>(); }

TRELLIS_ISA_END
}  // namespace trellis
