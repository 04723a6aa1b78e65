// Kernels as text (kernel_text.hpp) on a GPU of NVIDIA. For .cu sources.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <span>

#include "trellis/devices/kernel_text.hpp"

namespace trellis {

// The kernels that were compiled for one GPU, until the program ends.
class CudaTexts {
  public:
    CudaTexts(int major, int minor) : major_(major), minor_(minor) {}

    // Queues a kernel on a stream of the current device, which is the GPU. Throws std::runtime_error.
    void launch(CUstream stream, const KernelText& kernel, std::span<const std::byte> constants,
                std::span<std::byte* const> memory);

  private:
    CUfunction compiled(const KernelText& kernel);

    const int major_, minor_;  // compute capability
    std::mutex mutex_;
    std::map<const KernelText*, CUfunction> functions_;
};

}  // namespace trellis
