// The kernel of systems for an interaction on a GPU (see advance_system.hpp): for .cu sources. A system belongs to a
// block of threads and stays in its shared memory for all the steps of a call.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include "trellis/devices/gpu/shared_space.cuh"
#include "trellis/ensembles/gpu/advance_system.hpp"
#include "trellis/ensembles/gpu/block_threads.cuh"

namespace trellis {
TRELLIS_GPU_BEGIN

template <class I>
__global__ void __launch_bounds__(most_system_threads, 2)
    advance_systems_on_gpu(const SystemsMemory<I> memory, const SystemsCall call, const BlockSpace sizes,
                           const BlockRoom room, const std::size_t near_words, const std::size_t copy_doubles,
                           SharedSpace space) {
    const BlockRoom own{room.near + blockIdx.x * near_words, room.copy + blockIdx.x * copy_doubles};
    for (std::uint64_t number = blockIdx.x; number < call.systems; number += gridDim.x) {
        advance_system<I>(memory, call, number, BlockThreads{}, sizes, begin_of(space), own);
        __syncthreads();  // no thread still reads memory that the next system overwrites
    }
}

// Throws std::runtime_error if not even the rows of a system fit into a block's memory.
template <class I>
BlockSpace block_space(const KernelCall& call) {
    const std::uint64_t largest = call.get<SystemsCall>().largest;
    const std::size_t most = most_shared_bytes(call);
    for (const bool at_hand : {true, false})
        if (const BlockSpace sizes{largest, at_hand}; sizes.bytes<I>() <= most) return sizes;
    throw std::runtime_error("a system of about " + std::to_string(largest) +
                             " particles does not fit into the memory of a block of threads, " + std::to_string(most) +
                             " bytes: larger ones are for the processor");
}

// Lists of near particles and copies belong to a block, which takes one system after the other, for the time of the
// call.
template <class I>
void launch_systems(const KernelCall& call) {
    const auto& todo = call.get<SystemsCall>();
    const BlockSpace sizes = block_space<I>(call);
    const std::size_t bytes = sizes.bytes<I>(), words = near_words<I>(todo), doubles = copy_doubles(todo);
    const unsigned threads = system_threads(todo.largest);
    std::uint64_t blocks = todo.systems;
    if (words + doubles > 0) blocks = std::min(blocks, blocks_at_once(call, advance_systems_on_gpu<I>, threads, bytes));
    const std::size_t copies = blocks * doubles * sizeof(double);
    const WorkSpace work(call, copies + blocks * words * sizeof(std::uint32_t));
    BlockRoom room;
    room.copy = reinterpret_cast<double*>(work.address());
    room.near = reinterpret_cast<std::uint32_t*>(work.address() + copies);
    launch_sharing(call, advance_systems_on_gpu<I>, static_cast<unsigned>(blocks), threads, bytes,
                   SystemsMemory<I>(call), todo, sizes, room, words, doubles);
}

// Registers the kernel for GPUs. A second call changes nothing.
template <class I>
void register_systems() {
    register_kernel(gpu_kind, systems_kernel(typeid(I).name()), launch_systems<I>);
}

TRELLIS_GPU_END
}  // namespace trellis
