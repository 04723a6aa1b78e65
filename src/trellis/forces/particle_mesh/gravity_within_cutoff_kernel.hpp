// GravityWithinCutoff, compiled for each instruction set.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"

namespace trellis {

TRELLIS_DECLARE_VARIANTS(NeighbourKernels gaussian_gravity_kernels())
TRELLIS_DECLARE_VARIANTS(NeighbourKernels s2_gravity_kernels())

}  // namespace trellis
