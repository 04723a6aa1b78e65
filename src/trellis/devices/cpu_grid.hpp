// Grid kernels (grid_kernel.hpp) on the processor.
#pragma once

#include <algorithm>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/grid_kernel.hpp"
#include "trellis/devices/known_kernels.hpp"

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

template <class Body>
constexpr KernelArguments grid_arguments() {
    return {sizeof(GridCall<Body>), std::tuple_size_v<decltype(std::declval<Body&>().arrays())>, grid_uses<Body>};
}

// Registers under another name: see launch_grid_as.
template <class Body>
void register_for_cpu_as(const std::string& name) {
    register_kernel(DeviceKind::cpu, name, run_grid_on_cpu<Body>, grid_arguments<Body>());
}

template <class... Bodies>
void register_for_cpu(GridKernels<Bodies...>) {
    (register_for_cpu_as<Bodies>(Bodies::name), ...);
}

}  // namespace trellis
