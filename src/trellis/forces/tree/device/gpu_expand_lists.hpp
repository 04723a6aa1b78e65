// The kernel expand_lists of device_pairs.hpp, for GPUs.
#pragma once

#include "trellis/base/gpu.hpp"

namespace trellis {

// Registers the kernel.
TRELLIS_DECLARE_FOR_GPUS(void register_expand_lists())

}  // namespace trellis
