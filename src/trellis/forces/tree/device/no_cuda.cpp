// Replaces cuda_expand_lists.cu in builds without CUDA.
#include "trellis/forces/tree/device/cuda_expand_lists.hpp"

namespace trellis {

void register_expand_lists() {}

}  // namespace trellis
