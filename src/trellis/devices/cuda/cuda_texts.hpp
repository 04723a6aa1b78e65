// Kernels as text (kernel_text.hpp) on a GPU of NVIDIA. For .cu sources.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "trellis/devices/kernel_text.hpp"

namespace trellis {

// The kernels that were compiled for one GPU, as long as their texts are there.
class CudaTexts {
  public:
    CudaTexts(int major, int minor) : major_(major), minor_(minor) {}

    // Queues a kernel on a stream of the current device, which is the GPU. Throws std::runtime_error.
    void launch(CUstream stream, const std::shared_ptr<const KernelText>& kernel, std::span<const std::byte> constants,
                std::span<std::byte* const> memory);

    // Compiles a kernel for the GPU, which is the current device. Throws std::runtime_error.
    void compile(const std::shared_ptr<const KernelText>& kernel);

  private:
    struct Loaded {
        CUmodule module = nullptr;
        CUfunction function = nullptr;
    };

    const int major_, minor_;  // compute capability
    std::mutex mutex_;
    std::map<std::weak_ptr<const KernelText>, Loaded, std::owner_less<>> loaded_;
};

}  // namespace trellis
