// The kernels of smoothed particle hydrodynamics, for GPUs.
#pragma once

#include "trellis/base/gpu.hpp"

namespace trellis {

// Registers the kernels, for all smoothing kernels and dimensions.
TRELLIS_DECLARE_FOR_GPUS(void register_sph_neighbours())

}  // namespace trellis
