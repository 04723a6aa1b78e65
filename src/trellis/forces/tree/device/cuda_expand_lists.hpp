// The kernel expand_lists of device_pairs.hpp, for GPUs.
#pragma once

namespace trellis {

// Registers the kernel. Does nothing without CUDA.
void register_expand_lists();

}  // namespace trellis
