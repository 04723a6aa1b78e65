// The kernel of a one-body force on a GPU (see field_grid.hpp): for .cu sources.
#pragma once

#include "trellis/devices/gpu/grid_kernel.cuh"
#include "trellis/forces/external/field_grid.hpp"

namespace trellis {
TRELLIS_GPU_BEGIN

// Registers the kernel for GPUs. A second call changes nothing.
template <class F>
void register_external_field() {
    register_kernel(gpu_kind, field_kernel<F>(), launch_grid_on_gpu<FieldGrid<F>>);
}

TRELLIS_GPU_END
}  // namespace trellis
