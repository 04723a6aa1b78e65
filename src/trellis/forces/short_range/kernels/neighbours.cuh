// The kernels of an interaction of short range on a GPU (see neighbour_grid.hpp): for .cu sources.
#pragma once

#include <typeinfo>

#include "trellis/devices/grid_kernel.cuh"
#include "trellis/forces/short_range/kernels/neighbour_grid.hpp"

namespace trellis {

// Registers the kernels for GPUs. A second call changes nothing.
template <ShortRange I>
void register_neighbours() {
    register_kernel(DeviceKind::cuda, neighbours_kernel(typeid(I).name(), sizeof(float)),
                    launch_grid_on_gpu<NeighbourGrid<I, float>>);
    register_kernel(DeviceKind::cuda, neighbours_kernel(typeid(I).name(), sizeof(double)),
                    launch_grid_on_gpu<NeighbourGrid<I, double>>);
}

}  // namespace trellis
