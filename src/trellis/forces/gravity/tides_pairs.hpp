// The kernels of Tides and of TidesBetweenSoftenings, for GPUs.
#pragma once

#include "trellis/base/gpu.hpp"

namespace trellis {

// Registers the kernels, and the kernels that they need.
TRELLIS_DECLARE_FOR_GPUS(void register_tides_pairs())

}  // namespace trellis
