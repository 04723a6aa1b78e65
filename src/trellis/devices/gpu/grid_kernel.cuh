// Grid kernels (grid_kernel.hpp) on a GPU, for .cu sources. Each thread computes one element, and further ones if there
// are more elements than a grid can have threads.
#pragma once

#include <algorithm>

#include "trellis/devices/gpu/launch.cuh"
#include "trellis/devices/grid_kernel.hpp"

namespace trellis {
TRELLIS_GPU_BEGIN

template <class Body>
__global__ void __launch_bounds__(256) all_elements(const Body body, std::uint64_t count) {
    const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < count; k += threads) body(k);
}

template <class Body>
void launch_grid_on_gpu(const KernelCall& call) {
    constexpr std::uint64_t threads = 256, most_blocks = 0xffffff;  // AMD's GPUs number threads by 32 bits
    const GridCall<Body> bound = grid_call<Body>(call);
    const auto blocks = static_cast<unsigned>(std::min((bound.count + threads - 1) / threads, most_blocks));
    launch_blocks(call, all_elements<Body>, blocks, threads, bound.body, bound.count);
}

template <class... Bodies>
void register_for_gpu(GridKernels<Bodies...>) {
    (register_kernel(gpu_kind, Bodies::name, launch_grid_on_gpu<Bodies>), ...);
}

TRELLIS_GPU_END
}  // namespace trellis
