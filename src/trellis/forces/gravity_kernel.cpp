#include "trellis/forces/gravity_kernel.hpp"

#include "trellis/forces/gravity.hpp"
#include "trellis/forces/make_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

InteractionKernels gravity_kernels() { return make_kernels<Gravity>(); }

TRELLIS_ISA_END
}  // namespace trellis
