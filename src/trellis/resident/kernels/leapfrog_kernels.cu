// Compiled with --fmad=false: steps have the bits of the processor's (tools/check_fmad.py).
#include "trellis/resident/kernels/leapfrog_kernels.hpp"

#include "trellis/devices/gpu/grid_kernel.cuh"

namespace trellis {

void TRELLIS_GPU::register_leapfrog_kernels_for_gpus() { register_for_gpu(LeapfrogKernels{}); }

}  // namespace trellis
