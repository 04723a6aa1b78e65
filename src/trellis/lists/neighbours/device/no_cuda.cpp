// Stands in for list_kernels.cu where there is no CUDA.
#include "trellis/lists/neighbours/device/list_kernels.hpp"

namespace trellis {

void register_list_kernels_for_cuda() {}

}  // namespace trellis
