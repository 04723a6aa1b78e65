// The kernels of an interaction of short range on a GPU (see neighbour_grid.hpp, masked_grid.hpp): for .cu
// sources.
#pragma once

#include <typeinfo>

#include "trellis/devices/gpu/grid_kernel.cuh"
#include "trellis/forces/short_range/kernels/finish_grid.hpp"
#include "trellis/forces/short_range/kernels/masked_grid.hpp"

namespace trellis {
TRELLIS_GPU_BEGIN

// Registers the kernels of forces without excluded pairs for GPUs. A second call changes nothing.
template <ShortRange I>
void register_neighbours_unmasked() {
    register_kernel(gpu_kind, neighbours_kernel(typeid(I).name(), sizeof(float)),
                    launch_grid_on_gpu<NeighbourGrid<I, float>>);
    register_kernel(gpu_kind, neighbours_kernel(typeid(I).name(), sizeof(double)),
                    launch_grid_on_gpu<NeighbourGrid<I, double>>);
    if constexpr (OfStayingParticles<I>) {
        register_kernel(gpu_kind, finish_kernel(typeid(I).name(), sizeof(float)),
                        launch_grid_on_gpu<FinishGrid<I, float>>);
        register_kernel(gpu_kind, finish_kernel(typeid(I).name(), sizeof(double)),
                        launch_grid_on_gpu<FinishGrid<I, double>>);
    }
}

// Registers these and those of excluded pairs.
template <ShortRange I>
void register_neighbours() {
    register_neighbours_unmasked<I>();
    register_kernel(gpu_kind, masked_kernel(typeid(I).name(), sizeof(float)), launch_grid_on_gpu<MaskedGrid<I, float>>);
    register_kernel(gpu_kind, masked_kernel(typeid(I).name(), sizeof(double)),
                    launch_grid_on_gpu<MaskedGrid<I, double>>);
}

TRELLIS_GPU_END
}  // namespace trellis
