// The kernel expand_lists of device_pairs.hpp, for GPUs.
#pragma once

namespace trellis {

// Makes the kernel known. Without CUDA: does nothing.
void register_expand_lists();

}  // namespace trellis
