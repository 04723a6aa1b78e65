// All kernels of a resident force, registered with devices by name.
#pragma once

#include "trellis/devices/grid_kernel.hpp"

namespace trellis {

// Registers the kernels for the processor and, in a build with CUDA, for GPUs. A second call changes nothing.
void register_resident_kernels();

// The phase that the time of each kernel counts as.
KernelPhases resident_kernel_phases();

// Registers the kernels for GPUs. Without CUDA: does nothing.
void register_resident_kernels_for_cuda();

}  // namespace trellis
