#include "trellis/forces/tree_mesh/tree_mesh_coulomb_kernel.hpp"

#include "trellis/forces/tree/kernels/make_kernels.hpp"
#include "trellis/forces/tree_mesh/coulomb_within_cutoff.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

InteractionKernels s2_coulomb_kernels() { return make_kernels<CoulombWithinCutoff>(); }

TRELLIS_ISA_END
}  // namespace trellis
