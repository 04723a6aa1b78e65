// Launches of kernels on a queue of OpenCL or HIP, for sources that clang compiles for GPUs (launch.cuh).
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

// Limits of a device for its kernels.
struct LaunchLimits {
    std::size_t shared_bytes;  // of a block
    std::size_t compute_units;
};

// The stream of a KernelCall points to it. All functions throw std::runtime_error with the driver's message.
class LaunchQueue {
  public:
    // Queues a kernel on `blocks` blocks of `threads` threads each. kernel: its address in the program, by which clang
    // registers it (clang_modules.hpp).
    virtual void launch_blocks(const void* kernel, const std::array<std::size_t, 2>& blocks, std::size_t threads,
                               std::span<const LaunchArgument> arguments) = 0;
    virtual LaunchLimits limits() const = 0;
    // Memory of the device for the kernels of one call, until the next one asks.
    virtual std::byte* work_space(std::size_t bytes) = 0;

  protected:
    ~LaunchQueue() = default;
};

}  // namespace trellis
