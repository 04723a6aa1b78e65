// The kernel of systems for an interaction on a GPU (see advance_system.hpp): for .cu sources. A system belongs to a
// block of threads and stays in its shared memory for all the steps of a call.
#pragma once

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include "trellis/devices/cuda_events.hpp"
#include "trellis/ensembles/gpu/advance_system.hpp"

namespace trellis {

inline constexpr std::uint64_t fewest_system_threads = 32, most_system_threads = 512;

struct BlockThreads {
    __device__ std::size_t number() const { return threadIdx.x; }
    __device__ std::size_t count() const { return blockDim.x; }
    __device__ void wait() const { __syncthreads(); }
};

template <class I>
__global__ void __launch_bounds__(most_system_threads, 2)
    advance_systems_on_gpu(const SystemsMemory<I> memory, const SystemsCall call, const BlockSpace sizes) {
    extern __shared__ double2 space[];
    advance_system<I>(memory, call, blockIdx.x, BlockThreads{}, sizes, reinterpret_cast<double*>(space));
}

// Throws std::runtime_error if not even the rows of a system fit into a block's memory.
template <class I>
BlockSpace block_space(const SystemsCall& call) {
    int device = 0, most = 0;
    check_cuda(cudaGetDevice(&device));
    check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    for (const bool at_hand : {true, false})
        if (const BlockSpace sizes{call.largest, at_hand}; sizes.bytes<I>() <= static_cast<std::size_t>(most))
            return sizes;
    throw std::runtime_error("a system of about " + std::to_string(call.largest) +
                             " particles does not fit into the memory of a block of threads, " + std::to_string(most) +
                             " bytes: larger ones are for the processor");
}

template <class I>
void launch_systems(const KernelCall& call) {
    const auto& todo = call.get<SystemsCall>();
    if (todo.volumes != 0)
        throw std::runtime_error("systems at constant pressure are for the processor: this device knows no barostat");
    const BlockSpace sizes = block_space<I>(todo);
    const auto bytes = static_cast<int>(sizes.bytes<I>());
    const std::uint64_t threads = std::clamp(std::bit_ceil(todo.largest), fewest_system_threads, most_system_threads);
    check_cuda(cudaFuncSetAttribute(advance_systems_on_gpu<I>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    advance_systems_on_gpu<I><<<static_cast<unsigned>(todo.systems), static_cast<unsigned>(threads), bytes,
                                static_cast<cudaStream_t>(call.stream)>>>(SystemsMemory<I>(call), todo, sizes);
}

// Makes the kernel known to GPUs. Doing so again changes nothing.
template <class I>
void register_systems() {
    register_kernel(DeviceKind::cuda, systems_kernel(typeid(I).name()), launch_systems<I>);
}

}  // namespace trellis
