// Grid kernels on the processor: see grid_kernel.hpp.
#pragma once

#include <algorithm>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/grid_kernel.hpp"

namespace trellis {

template <class Body>
void run_grid_on_cpu(const KernelCall& call) {
    const GridCall<Body> bound = grid_call<Body>(call);
    if constexpr (requires { Body::uneven; }) {
        constexpr std::size_t block = 64;
        parallel_tasks((bound.count + block - 1) / block, [&](std::size_t b, int) {
            for (std::size_t k = b * block; k < std::min<std::size_t>((b + 1) * block, bound.count); ++k) bound.body(k);
        });
    } else {
        parallel_for(bound.count, bound.body);
    }
}

template <class... Bodies>
void register_for_cpu(GridKernels<Bodies...>) {
    (register_kernel(DeviceKind::cpu, Bodies::name, run_grid_on_cpu<Bodies>), ...);
}

}  // namespace trellis
