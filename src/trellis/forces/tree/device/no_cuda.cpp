// Stands in for cuda_expand_lists.cu where there is no CUDA.
#include "trellis/forces/tree/device/cuda_expand_lists.hpp"

namespace trellis {

void register_expand_lists() {}

}  // namespace trellis
