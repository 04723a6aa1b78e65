// Mixtures of Lennard-Jones atoms, compiled for each instruction set.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/forces/molecules/truncation.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"

namespace trellis {

// The kernels of LennardJonesMixture<truncation>.
TRELLIS_DECLARE_VARIANTS(NeighbourKernels mixture_kernels(Truncation truncation))

}  // namespace trellis
