#include "trellis/devices/gpu/grid_kernel.cuh"
#include "trellis/lists/neighbours/device/list_kernels.hpp"

namespace trellis {

void TRELLIS_GPU::register_list_kernels_for_gpus() { register_for_gpu(ListMakingKernels{}); }

}  // namespace trellis
