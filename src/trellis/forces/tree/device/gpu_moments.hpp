// The kernels of device_moments.hpp, for GPUs.
#pragma once

#include "trellis/base/gpu.hpp"

namespace trellis {

// Registers the kernels, for all orders.
TRELLIS_DECLARE_FOR_GPUS(void register_moments())

}  // namespace trellis
