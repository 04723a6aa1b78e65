// Launches of kernels of SPIR-V, called by sources that clang compiles for OpenCL (launch.cuh).
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace trellis {

struct LaunchArgument {
    const void* value;  // null: memory that the threads of a block share
    std::size_t bytes;
    bool pointer;  // to memory of the device
};

// Queues a kernel on `blocks` work groups of `threads` threads each. queue: the stream of a KernelCall. kernel: its
// address in the program, by which clang registers it (spirv_modules.hpp). Throws std::runtime_error with the driver's
// message.
void launch_on_opencl(void* queue, const void* kernel, const std::array<std::size_t, 2>& blocks, std::size_t threads,
                      std::span<const LaunchArgument> arguments);

// Limits of a device for its kernels.
struct LaunchLimits {
    std::size_t shared_bytes;  // of a block
    std::size_t compute_units;
};
LaunchLimits limits_of_opencl(void* queue);

// Memory of the device for the kernels of one call, until the next one asks. Throws std::runtime_error if there is too
// little.
std::byte* work_space_on_opencl(void* queue, std::size_t bytes);

}  // namespace trellis
