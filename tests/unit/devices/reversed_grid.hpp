// Grid kernels of the processor whose elements run one after another, the last one first: an element that reads what
// another one writes then gives another result than in the usual order.
#pragma once

#include "trellis/devices/cpu_grid.hpp"

namespace trellis {

template <class Body>
void run_grid_reversed(const KernelCall& call) {
    const GridCall<Body> bound = grid_call<Body>(call);
    for (std::size_t k = bound.count; k-- > 0;) bound.body(k);
}

// Replaces the kernels of the processor, until they are registered again.
template <class... Bodies>
void register_reversed(GridKernels<Bodies...>) {
    (register_kernel(DeviceKind::cpu, Bodies::name, run_grid_reversed<Bodies>), ...);
}

}  // namespace trellis
