#include "trellis/forces/tree_mesh/kernels/tree_mesh_kernel.hpp"

#include "trellis/forces/tree/kernels/make_kernels.hpp"
#include "trellis/forces/tree_mesh/kernels/gravity_within_cutoff.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

InteractionKernels s2_tree_kernels() { return make_kernels<GravityWithinCutoff>(); }

TRELLIS_ISA_END
}  // namespace trellis
