#include "trellis/forces/tree/kernels/make_kernels.hpp"
#include "trellis/forces/tree_mesh/kernels/between_softenings_within_cutoff.hpp"
#include "trellis/forces/tree_mesh/kernels/tree_mesh_kernel.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

InteractionKernels s2_between_softenings_kernels() { return make_kernels<BetweenSofteningsWithinCutoff>(); }

TRELLIS_ISA_END
}  // namespace trellis
