// All kernels of a resident force, known to devices by their names.
#pragma once

#include "trellis/devices/grid_kernel.hpp"

namespace trellis {

// Makes the kernels known to the processor and, in a build with CUDA, to GPUs. Doing so again changes nothing.
void register_resident_kernels();

// The phases that the kernels' time counts as.
KernelPhases resident_kernel_phases();

// Makes the kernels for GPUs known. Without CUDA: does nothing.
void register_resident_kernels_for_cuda();

}  // namespace trellis
