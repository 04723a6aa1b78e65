#include "trellis/forces/tree_mesh/kernels/tree_mesh_coulomb_kernel.hpp"

#include "trellis/forces/tree/kernels/make_kernels.hpp"
#include "trellis/forces/tree_mesh/kernels/coulomb_within_cutoff.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

InteractionKernels s2_coulomb_kernels() { return make_kernels<CoulombWithinCutoff>(); }

TRELLIS_ISA_END
}  // namespace trellis
