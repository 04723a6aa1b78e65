// Launches of kernels, for sources for GPUs (base/gpu.hpp).
#pragma once

#include "trellis/base/gpu.hpp"
#include "trellis/devices/kernels.hpp"
#if defined(__HIP__)
#include <type_traits>

#include "trellis/devices/gpu/launch_queue.hpp"
#endif

namespace trellis {
TRELLIS_GPU_BEGIN

// The kind of the GPUs that this source is compiled for.
inline constexpr DeviceKind gpu_kind = DeviceKind::TRELLIS_GPU;

#if defined(__HIP__)
inline LaunchQueue& launch_queue(const KernelCall& call) { return *static_cast<LaunchQueue*>(call.stream); }

template <class T>
LaunchArgument launch_argument(const T& value) {
    return {&value, sizeof value, std::is_pointer_v<T>};
}
// Shared memory of a block (shared_space.cuh), whose bytes the pointer stands for.
inline LaunchArgument launch_argument(__attribute__((address_space(3))) double* const& bytes) {
    return {nullptr, reinterpret_cast<std::size_t>(bytes), false};
}

// Queues a kernel with its arguments in the types of its parameters.
template <class... Parameters>
void queue_blocks(const KernelCall& call, void (*kernel)(Parameters...), dim3 blocks, unsigned threads,
                  const std::type_identity_t<Parameters>&... arguments) {
    const LaunchArgument all[] = {launch_argument(arguments)...};
    launch_queue(call).launch_blocks(reinterpret_cast<const void*>(kernel), {blocks.x, blocks.y}, threads, all);
}
#endif

// Launches a kernel for a call, on blocks of `threads` threads.
template <class Kernel, class... Arguments>
void launch_blocks(const KernelCall& call, Kernel* kernel, dim3 blocks, unsigned threads,
                   const Arguments&... arguments) {
#if !defined(__HIP__)
    kernel<<<blocks, threads, 0, static_cast<cudaStream_t>(call.stream)>>>(arguments...);
#elif !defined(TRELLIS_ON_GPU)  // where clang gives kernels another type than to other functions
    queue_blocks(call, kernel, blocks, threads, arguments...);
#endif
}

TRELLIS_GPU_END
}  // namespace trellis
