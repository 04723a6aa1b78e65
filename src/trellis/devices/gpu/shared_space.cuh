// Kernels whose blocks share memory of a size that the launch gives, and that need work space, for sources for GPUs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "trellis/devices/gpu/launch.cuh"
#if !defined(__HIP__)
#include "trellis/devices/gpu/check_cuda.cuh"
#endif

namespace trellis {
TRELLIS_GPU_BEGIN

#if defined(__HIP__)

// The last parameter of such a kernel.
using SharedSpace = __attribute__((address_space(3))) double*;
// The shared memory of this thread's block.
__device__ inline double* begin_of(SharedSpace space) { return shared_space(space); }

// The most bytes that a block may share.
inline std::size_t most_shared_bytes(const KernelCall& call) { return launch_queue(call).limits().shared_bytes; }

// The number of blocks that may run at once.
template <class Kernel>
std::uint64_t blocks_at_once(const KernelCall& call, Kernel*, unsigned, std::size_t) {
    return launch_queue(call).limits().compute_units * 16;
}

// Launches such a kernel, on blocks that share `bytes` bytes.
template <class Kernel, class... Arguments>
void launch_sharing(const KernelCall& call, Kernel* kernel, dim3 blocks, unsigned threads, std::size_t bytes,
                    const Arguments&... arguments) {
    launch_blocks(call, kernel, blocks, threads, arguments..., reinterpret_cast<SharedSpace>(bytes));
}

// Memory of the device for the kernels of a call.
class WorkSpace {
  public:
    WorkSpace(const KernelCall& call, std::size_t bytes)
        : address_(bytes > 0 ? launch_queue(call).work_space(bytes) : nullptr) {}
    std::byte* address() const { return address_; }

  private:
    std::byte* address_;
};

#else

struct SharedSpace {};
__device__ inline double* begin_of(SharedSpace) {
    extern __shared__ double2 space[];
    return reinterpret_cast<double*>(space);
}

inline int device_attribute(cudaDeviceAttr which) {
    int device = 0, value = 0;
    check_cuda(cudaGetDevice(&device));
    check_cuda(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

inline std::size_t most_shared_bytes(const KernelCall&) {
    return static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
}

template <class Kernel>
std::uint64_t blocks_at_once(const KernelCall&, Kernel* kernel, unsigned threads, std::size_t bytes) {
    int of_each = 0;
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, kernel, static_cast<int>(threads), bytes));
    return static_cast<std::uint64_t>(std::max(1, of_each)) *
           static_cast<std::uint64_t>(device_attribute(cudaDevAttrMultiProcessorCount));
}

template <class Kernel, class... Arguments>
void launch_sharing(const KernelCall& call, Kernel* kernel, dim3 blocks, unsigned threads, std::size_t bytes,
                    const Arguments&... arguments) {
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    const auto stream = static_cast<cudaStream_t>(call.stream);
    // clang-format off: it would break the three signs
    kernel<<<blocks, threads, bytes, stream>>>(arguments..., SharedSpace{});
    // clang-format on
}

class WorkSpace {
  public:
    WorkSpace(const KernelCall& call, std::size_t bytes) : stream_(static_cast<cudaStream_t>(call.stream)) {
        if (bytes > 0) check_cuda(cudaMallocAsync(&address_, bytes, stream_));
    }
    // After the kernels that are launched before it.
    ~WorkSpace() {
        if (address_ != nullptr) cudaFreeAsync(address_, stream_);
    }
    WorkSpace(const WorkSpace&) = delete;
    WorkSpace& operator=(const WorkSpace&) = delete;
    std::byte* address() const { return static_cast<std::byte*>(address_); }

  private:
    cudaStream_t stream_;
    void* address_ = nullptr;
};

#endif

TRELLIS_GPU_END
}  // namespace trellis
