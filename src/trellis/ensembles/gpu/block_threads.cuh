// The threads of a block that advance a system, for sources for GPUs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "trellis/base/gpu.hpp"

namespace trellis {
TRELLIS_GPU_BEGIN

inline constexpr std::uint64_t fewest_system_threads = 32, most_system_threads = 512;

// Their number, for systems of at most this many slots.
inline unsigned system_threads(std::uint64_t largest) {
    return static_cast<unsigned>(std::clamp(std::bit_ceil(largest), fewest_system_threads, most_system_threads));
}

struct BlockThreads {
    __device__ std::size_t number() const { return threadIdx.x; }
    __device__ std::size_t count() const { return blockDim.x; }
    __device__ void wait() const { __syncthreads(); }
};

TRELLIS_GPU_END
}  // namespace trellis
