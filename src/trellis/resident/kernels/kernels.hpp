// All kernels of a resident force, registered with devices by name.
#pragma once

#include "trellis/base/gpu.hpp"
#include "trellis/devices/grid_kernel.hpp"

namespace trellis {

// Registers the kernels for all kinds of devices. A second call changes nothing.
void register_resident_kernels();

// The phase that the time of each kernel counts as.
KernelPhases resident_kernel_phases();

// The part for GPUs.
TRELLIS_DECLARE_FOR_GPUS(void register_resident_kernels_for_gpus())

}  // namespace trellis
