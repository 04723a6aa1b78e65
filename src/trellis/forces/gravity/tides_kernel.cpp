#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/gravity/tides.hpp"
#include "trellis/forces/tree/kernels/make_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

InteractionKernels tides_kernels() { return make_kernels<Tides>(); }

InteractionKernels tides_between_softenings_kernels() { return make_kernels<TidesBetweenSoftenings>(); }

TRELLIS_ISA_END
}  // namespace trellis
