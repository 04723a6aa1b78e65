#include "trellis/forces/tree_mesh/tree_mesh_kernel.hpp"

#include "trellis/forces/tree/kernels/make_kernels.hpp"
#include "trellis/forces/tree_mesh/gravity_within_cutoff.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

InteractionKernels s2_tree_kernels() { return make_kernels<GravityWithinCutoff>(); }

TRELLIS_ISA_END
}  // namespace trellis
