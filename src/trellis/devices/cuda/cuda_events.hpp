// Pool of events of a GPU, since creating one takes longer than recording it. For .cu sources.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace trellis {

// Throws std::runtime_error with CUDA's description if there was an error.
inline void check_cuda(cudaError_t error) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")");
}

// The same device must be current in take and in the destructor.
class CudaEvents {
  public:
    CudaEvents() = default;
    ~CudaEvents() {
        for (cudaEvent_t event : all_) cudaEventDestroy(event);
    }
    CudaEvents(const CudaEvents&) = delete;
    CudaEvents& operator=(const CudaEvents&) = delete;

    cudaEvent_t take() {
        if (free_.empty()) {
            cudaEvent_t event = nullptr;
            check_cuda(cudaEventCreate(&event));
            all_.push_back(event);
            return event;
        }
        cudaEvent_t event = free_.back();
        free_.pop_back();
        return event;
    }
    void give_back(cudaEvent_t event) { free_.push_back(event); }

  private:
    std::vector<cudaEvent_t> all_, free_;
};

}  // namespace trellis
