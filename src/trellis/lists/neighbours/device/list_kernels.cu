#include "trellis/devices/grid_kernel.cuh"
#include "trellis/lists/neighbours/device/list_kernels.hpp"

namespace trellis {

void register_list_kernels_for_cuda() { register_for_cuda(ListMakingKernels{}); }

}  // namespace trellis
