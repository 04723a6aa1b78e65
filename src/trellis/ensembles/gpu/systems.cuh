// The kernel of systems for an interaction on a GPU (see advance_system.hpp): for .cu sources. A system belongs to a
// block of threads and stays in its shared memory for all the steps of a call.
#pragma once

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include "trellis/devices/cuda/cuda_events.hpp"
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
    advance_systems_on_gpu(const SystemsMemory<I> memory, const SystemsCall call, const BlockSpace sizes,
                           const BlockRoom room, const std::size_t near_words, const std::size_t copy_doubles) {
    extern __shared__ double2 space[];
    const BlockRoom own{room.near + blockIdx.x * near_words, room.copy + blockIdx.x * copy_doubles};
    for (std::uint64_t number = blockIdx.x; number < call.systems; number += gridDim.x) {
        advance_system<I>(memory, call, number, BlockThreads{}, sizes, reinterpret_cast<double*>(space), own);
        __syncthreads();  // no thread still reads memory that the next system overwrites
    }
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

// The number of blocks that run at once.
template <class I>
std::uint64_t blocks_at_work(unsigned threads, std::size_t bytes) {
    int device = 0, multiprocessors = 0, of_each = 0;
    check_cuda(cudaGetDevice(&device));
    check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, advance_systems_on_gpu<I>,
                                                             static_cast<int>(threads), bytes));
    return static_cast<std::uint64_t>(std::max(1, of_each)) * static_cast<std::uint64_t>(multiprocessors);
}

// Lists of near particles and copies belong to a block, which takes one system after the other, for the time of the
// call.
template <class I>
void launch_systems(const KernelCall& call) {
    const auto& todo = call.get<SystemsCall>();
    const BlockSpace sizes = block_space<I>(todo);
    const std::size_t bytes = sizes.bytes<I>(), words = near_words<I>(todo), doubles = copy_doubles(todo);
    const auto threads =
        static_cast<unsigned>(std::clamp(std::bit_ceil(todo.largest), fewest_system_threads, most_system_threads));
    check_cuda(cudaFuncSetAttribute(advance_systems_on_gpu<I>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
    const auto stream = static_cast<cudaStream_t>(call.stream);
    std::uint64_t blocks = todo.systems;
    BlockRoom room;
    if (words + doubles > 0) blocks = std::min(blocks, blocks_at_work<I>(threads, bytes));
    if (words > 0) check_cuda(cudaMallocAsync(&room.near, blocks * words * sizeof(std::uint32_t), stream));
    if (doubles > 0) check_cuda(cudaMallocAsync(&room.copy, blocks * doubles * sizeof(double), stream));
    advance_systems_on_gpu<I><<<static_cast<unsigned>(blocks), threads, bytes, stream>>>(SystemsMemory<I>(call), todo,
                                                                                         sizes, room, words, doubles);
    if (words > 0) check_cuda(cudaFreeAsync(room.near, stream));
    if (doubles > 0) check_cuda(cudaFreeAsync(room.copy, stream));
}

// Registers the kernel for GPUs. A second call changes nothing.
template <class I>
void register_systems() {
    register_kernel(DeviceKind::cuda, systems_kernel(typeid(I).name()), launch_systems<I>);
}

}  // namespace trellis
