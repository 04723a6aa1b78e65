// GravityWithinCutoff and BetweenSofteningsWithinCutoff for tree forces, compiled for each instruction set.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/forces/tree/kernels/interaction_kernels.hpp"

namespace trellis {

TRELLIS_DECLARE_VARIANTS(InteractionKernels s2_tree_kernels())
TRELLIS_DECLARE_VARIANTS(InteractionKernels s2_between_softenings_kernels())

}  // namespace trellis
