// Lennard-Jones, compiled for each instruction set.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"

namespace trellis {

TRELLIS_DECLARE_VARIANTS(NeighbourKernels lennard_jones_kernels())

}  // namespace trellis
