#include "trellis/devices/cuda/cuda_device.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "trellis/devices/cuda/cuda_texts.hpp"
#include "trellis/devices/gpu/check_cuda.cuh"
#include "trellis/devices/gpu/driver_errors.hpp"
#include "trellis/devices/gpu/event_pool.hpp"
#include "trellis/devices/gpu/event_queue.hpp"

namespace trellis {

namespace {

// The kernels of texts of a GPU, until the program ends: the driver is then no longer there to release anything.
CudaTexts& texts_of(int number, int major, int minor) {
    static std::mutex mutex;
    static auto& all = *new std::map<int, CudaTexts>;
    const std::scoped_lock lock(mutex);
    return all.try_emplace(number, major, minor).first->second;
}

class CudaDevice : public LocalDevice {
  public:
    CudaDevice(int number, const std::string& name, std::size_t memory) : LocalDevice(name, memory), number_(number) {
        or_throw([&] { check_cuda(cudaGetDeviceProperties(&properties_, number_)); });
    }
    CudaTexts& texts() const { return texts_of(number_, properties_.major, properties_.minor); }

    std::string description() const override {
        return std::string(properties_.name) + ", " + std::to_string(properties_.multiProcessorCount) +
               " multiprocessors, " + std::to_string(properties_.totalGlobalMem >> 30) + " GiB, compute capability " +
               std::to_string(properties_.major) + "." + std::to_string(properties_.minor);
    }
    std::unique_ptr<LocalQueue> make_local_queue() override;
    void compile(const std::shared_ptr<const KernelText>& kernel) override {
        make_current();
        texts().compile(kernel);
    }
    std::size_t queues_wanted() const override { return 3; }  // one uploads, one computes, one downloads

    // Makes this device the current one of this thread.
    void make_current() const { check_cuda(cudaSetDevice(number_)); }

    // Runs calls of CUDA. Throws DeviceError if one fails.
    template <class Calls>
    void or_throw(Calls&& calls) const {
        trellis::or_throw(name(), calls);
    }

  private:
    std::byte* take(std::size_t bytes) override {
        void* address = nullptr;
        cudaError_t outcome = cudaSetDevice(number_);
        if (outcome == cudaSuccess) outcome = cudaMalloc(&address, bytes);
        if (outcome == cudaSuccess) return static_cast<std::byte*>(address);
        cudaGetLastError();  // else CUDA would report it again
        if (outcome != cudaErrorMemoryAllocation) or_throw([&] { check_cuda(outcome); });
        return nullptr;
    }
    // A queue reports failures of this call.
    void give_back(std::byte* address) override {
        cudaSetDevice(number_);
        cudaFree(address);
    }
    // Pinned memory, without which copies do not overlap with the host's work.
    std::byte* allocate_host(std::size_t bytes) override {
        void* address = nullptr;
        or_throw([&] {
            make_current();
            check_cuda(cudaHostAlloc(&address, bytes, cudaHostAllocPortable));
        });
        return static_cast<std::byte*>(address);
    }
    void release_host(std::byte* address) override {
        cudaSetDevice(number_);
        cudaFreeHost(address);
    }

    const int number_;
    cudaDeviceProp properties_{};
};

using CudaEvents = EventPool<cudaEvent_t>;
using CudaEvent = CudaEvents::Event;

cudaEvent_t new_event() {
    cudaEvent_t event = nullptr;
    check_cuda(cudaEventCreate(&event));
    return event;
}

void destroy_event(cudaEvent_t event) { cudaEventDestroy(event); }

// A stream.
class CudaQueue : public EventQueue<CudaEvent> {
  public:
    explicit CudaQueue(CudaDevice& device) : EventQueue(device, DeviceKind::cuda), device_(device) {
        device_.or_throw([&] {
            device_.make_current();
            check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        });
    }
    ~CudaQueue() override {
        end_waiting();
        cudaStreamSynchronize(stream_);
        cudaStreamDestroy(stream_);
    }
    CudaQueue(const CudaQueue&) = delete;
    CudaQueue& operator=(const CudaQueue&) = delete;

  private:
    using Events = std::pair<CudaEvent, CudaEvent>;

    template <class Commands>
    Events timed(Commands&& commands) {
        device_.make_current();
        Events events{events_->take(), events_->take()};
        check_cuda(cudaEventRecord(events.first.get(), stream_));
        commands();
        check_cuda(cudaEventRecord(events.second.get(), stream_));
        return events;
    }

    Events copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
        return timed([&] { check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_)); });
    }
    Events run_kernel(Kernel kernel, std::span<const std::byte> constants,
                      std::span<std::byte* const> memory) override {
        return timed([&] {
            kernel({constants, memory, stream_});
            check_cuda(cudaGetLastError());
        });
    }
    Events run_text(const std::shared_ptr<const KernelText>& kernel, std::span<const std::byte> constants,
                    std::span<std::byte* const> memory) override {
        return timed([&] { device_.texts().launch(stream_, kernel, constants, memory); });
    }
    Events hold(const CudaEvent& event) override {
        return timed([&] { check_cuda(cudaStreamWaitEvent(stream_, event.get(), 0)); });
    }
    void wait_for(const CudaEvent& event) override { check_cuda(cudaEventSynchronize(event.get())); }
    void finish() override { cudaStreamSynchronize(stream_); }
    double seconds_between(const Events& events) override {
        float milliseconds = 0;
        check_cuda(cudaEventElapsedTime(&milliseconds, events.first.get(), events.second.get()));
        return 1e-3 * milliseconds;
    }

    CudaDevice& device_;
    cudaStream_t stream_ = nullptr;
    const std::shared_ptr<CudaEvents> events_ = std::make_shared<CudaEvents>(new_event, destroy_event);
};

std::unique_ptr<LocalQueue> CudaDevice::make_local_queue() { return std::make_unique<CudaQueue>(*this); }

}  // namespace

int cuda_device_count() {
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
    cudaGetLastError();  // no driver or no GPU; else CUDA would report it again
    return 0;
}

std::shared_ptr<LocalDevice> make_cuda_device(int number, std::size_t memory) {
    const std::string name = "cuda:" + std::to_string(number);
    std::size_t free = 0, all = 0;
    or_throw(name, [&] {
        check_cuda(cudaSetDevice(number));
        check_cuda(cudaMemGetInfo(&free, &all));
    });
    return std::make_shared<CudaDevice>(number, name, memory > 0 ? memory : free);
}

}  // namespace trellis
