// Compiled with --fmad=false: steps have the bits of the processor's (tools/check_fmad.py).
#include "trellis/resident/kernels/leapfrog_kernels.hpp"

#include "trellis/devices/grid_kernel.cuh"

namespace trellis {

void register_leapfrog_kernels_for_cuda() { register_for_cuda(LeapfrogKernels{}); }

}  // namespace trellis
