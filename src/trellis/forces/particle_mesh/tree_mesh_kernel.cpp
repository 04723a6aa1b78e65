#include "trellis/forces/particle_mesh/tree_mesh_kernel.hpp"

#include "trellis/forces/particle_mesh/gravity_within_cutoff.hpp"
#include "trellis/forces/tree/kernels/make_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

InteractionKernels s2_tree_kernels() { return make_kernels<GravityWithinCutoff<S2LongRange>>(); }

TRELLIS_ISA_END
}  // namespace trellis
