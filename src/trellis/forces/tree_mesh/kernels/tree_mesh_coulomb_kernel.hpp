// CoulombWithinCutoff for a tree force, compiled for each instruction set.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/forces/tree/kernels/interaction_kernels.hpp"

namespace trellis {

TRELLIS_DECLARE_VARIANTS(InteractionKernels s2_coulomb_kernels())

}  // namespace trellis
