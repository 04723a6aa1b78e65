// Gravity, compiled for each instruction set.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/forces/tree/kernels/interaction_kernels.hpp"

namespace trellis {

TRELLIS_DECLARE_VARIANTS(InteractionKernels gravity_kernels())
TRELLIS_DECLARE_VARIANTS(InteractionKernels gravity_between_softenings_kernels())
TRELLIS_DECLARE_VARIANTS(InteractionKernels tides_kernels())
TRELLIS_DECLARE_VARIANTS(InteractionKernels tides_between_softenings_kernels())

}  // namespace trellis
