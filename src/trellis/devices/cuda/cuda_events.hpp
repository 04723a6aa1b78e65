// Pool of events of a GPU, since creating one takes longer than recording it. For .cu sources.
#pragma once

#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "trellis/devices/gpu/check_cuda.cuh"

namespace trellis {

using CudaEvent = std::shared_ptr<std::remove_pointer_t<cudaEvent_t>>;

class CudaEvents : public std::enable_shared_from_this<CudaEvents> {
  public:
    CudaEvents() = default;
    ~CudaEvents() {
        for (cudaEvent_t event : all_) cudaEventDestroy(event);
    }
    CudaEvents(const CudaEvents&) = delete;
    CudaEvents& operator=(const CudaEvents&) = delete;

    // An event of the current device, which comes back to the pool by itself.
    CudaEvent take() {
        const std::scoped_lock lock(mutex_);
        if (free_.empty()) {
            cudaEvent_t event = nullptr;
            check_cuda(cudaEventCreate(&event));
            all_.push_back(event);
            free_.push_back(event);
        }
        cudaEvent_t event = free_.back();
        free_.pop_back();
        return {event, [pool = shared_from_this()](cudaEvent_t each) { pool->give_back(each); }};
    }

  private:
    void give_back(cudaEvent_t event) {
        const std::scoped_lock lock(mutex_);
        free_.push_back(event);
    }

    std::mutex mutex_;
    std::vector<cudaEvent_t> all_, free_;
};

}  // namespace trellis
