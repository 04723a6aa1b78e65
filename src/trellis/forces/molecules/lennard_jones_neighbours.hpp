// The kernels of LennardJones and LennardJonesMixture, for GPUs.
#pragma once

#include "trellis/base/gpu.hpp"

namespace trellis {

// Registers the kernels.
TRELLIS_DECLARE_FOR_GPUS(void register_lennard_jones_neighbours())

}  // namespace trellis
