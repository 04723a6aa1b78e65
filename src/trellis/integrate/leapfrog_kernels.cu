#include "trellis/integrate/leapfrog_kernels.hpp"

#include "trellis/devices/cuda/grid_kernel.cuh"

namespace trellis {

void register_leapfrog_kernels_for_cuda() { register_for_cuda(LeapfrogKernels{}); }

}  // namespace trellis
