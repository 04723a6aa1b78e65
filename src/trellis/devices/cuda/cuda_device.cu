#include "trellis/devices/cuda/cuda_device.hpp"

#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "trellis/devices/cuda/cuda_events.hpp"
#include "trellis/devices/cuda/queue_waiter.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/devices/local_device.hpp"

namespace trellis {

namespace {

// Runs calls of CUDA. Throws DeviceError for the device of this name if one fails.
template <class Calls>
void or_throw(const std::string& device, Calls&& calls) {
    try {
        calls();
    } catch (const std::exception& error) {
        throw DeviceError(device, std::string("failed: ") + error.what());
    }
}

class CudaDevice : public LocalDevice {
  public:
    CudaDevice(int number, const std::string& name, std::size_t memory) : LocalDevice(name, memory), number_(number) {
        or_throw([&] { check_cuda(cudaGetDeviceProperties(&properties_, number_)); });
    }

    std::string description() const override {
        return std::string(properties_.name) + ", " + std::to_string(properties_.multiProcessorCount) +
               " multiprocessors, " + std::to_string(properties_.totalGlobalMem >> 30) + " GiB, compute capability " +
               std::to_string(properties_.major) + "." + std::to_string(properties_.minor);
    }
    std::unique_ptr<LocalQueue> make_local_queue() override;
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

// A stream. Events before and after each call measure its time; a mark refers to the event after it.
class CudaQueue : public LocalQueue {
  public:
    explicit CudaQueue(CudaDevice& device) : device_(device) {
        device_.or_throw([&] {
            device_.make_current();
            check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        });
    }
    ~CudaQueue() override {
        waiter_.reset();
        cudaStreamSynchronize(stream_);
        cudaStreamDestroy(stream_);
    }
    CudaQueue(const CudaQueue&) = delete;
    CudaQueue& operator=(const CudaQueue&) = delete;

    void upload(const DeviceMemory& to, std::size_t offset, std::span<const std::byte> from) override {
        push(Kind::upload, from.size(), {}, [&] {
            check_cuda(
                cudaMemcpyAsync(to.address() + offset, from.data(), from.size(), cudaMemcpyHostToDevice, stream_));
        });
    }

    void download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) override {
        push(Kind::download, to.size(), {}, [&] {
            check_cuda(cudaMemcpyAsync(to.data(), from.address() + offset, to.size(), cudaMemcpyDeviceToHost, stream_));
        });
    }

    void launch(std::string_view kernel, std::span<const std::byte> constants,
                std::span<const DeviceMemory* const> memory) override {
        const Kernel run = find_kernel(DeviceKind::cuda, kernel);
        if (run == nullptr) return device_.fail("has no kernel '" + std::string(kernel) + "'");
        push(Kind::kernel, 0, kernel, [&] {
            const std::vector<std::byte> aligned(constants.begin(), constants.end());
            std::vector<std::byte*> addresses;
            for (const DeviceMemory* part : memory) addresses.push_back(part->address());
            run({aligned, addresses, stream_});
            check_cuda(cudaGetLastError());
        });
    }

    Mark mark() override { return {this, submitted_}; }

    void after(const Mark& mark) override {
        push(Kind::after, 0, {}, [&] { static_cast<const CudaQueue*>(mark.queue)->hold(stream_, mark.number); });
    }

    void wait(const Mark& mark) override {
        if (device_.failed()) {
            cudaStreamSynchronize(stream_);  // so that no copy uses the caller's memory any more
        } else if (const cudaEvent_t end = end_of(mark.number); end != nullptr) {
            const cudaError_t outcome = cudaEventSynchronize(end);
            report([&] { check_cuda(outcome); });
        }
        retire(mark.number);
        device_.throw_failure();
    }

    void then(std::function<void()> call) override {
        if (waiter_ == nullptr) waiter_ = std::make_unique<QueueWaiter>(*this);
        waiter_->then(mark(), std::move(call));
    }

    QueueTimes take_times() override {
        const std::scoped_lock lock(mutex_);
        return std::exchange(done_times_, {});
    }

  private:
    enum class Kind { upload, kernel, download, after };

    struct Call {
        Kind kind;
        std::uint64_t bytes;
        std::string kernel;  // its name
        cudaEvent_t begin, end;
    };

    // Runs calls of CUDA. A failure becomes the device's, which wait throws.
    template <class Calls>
    void report(Calls&& calls) {
        try {
            calls();
        } catch (const std::exception& error) {
            device_.fail(std::string("failed: ") + error.what());
        }
    }

    template <class Body>
    void push(Kind kind, std::uint64_t bytes, std::string_view kernel, Body&& body) {
        if (device_.failed()) return;
        report([&] {
            device_.make_current();
            const Call call = new_call(kind, bytes, kernel);
            check_cuda(cudaEventRecord(call.begin, stream_));
            body();
            check_cuda(cudaEventRecord(call.end, stream_));
            const std::scoped_lock lock(mutex_);
            calls_.push_back(call);
            ++submitted_;
        });
    }

    Call new_call(Kind kind, std::uint64_t bytes, std::string_view kernel) {
        const std::scoped_lock lock(mutex_);
        cudaEvent_t begin = events_.take();
        return {kind, bytes, std::string(kernel), begin, events_.take()};
    }

    // The event after a call; null if the call has been waited for. The caller has locked the mutex.
    cudaEvent_t event_of(std::uint64_t number) const {
        return number > retired_ ? calls_[number - retired_ - 1].end : nullptr;
    }
    cudaEvent_t end_of(std::uint64_t number) const {
        const std::scoped_lock lock(mutex_);
        return event_of(number);
    }

    // Makes another stream wait for a call of this queue. The mutex is locked, so that the event is not reused
    // meanwhile.
    void hold(cudaStream_t stream, std::uint64_t number) const {
        const std::scoped_lock lock(mutex_);
        if (cudaEvent_t end = event_of(number); end != nullptr) check_cuda(cudaStreamWaitEvent(stream, end, 0));
    }

    // Adds the times of the calls up to this one, and returns their events to the pool.
    void retire(std::uint64_t number) {
        const std::scoped_lock lock(mutex_);
        for (; retired_ < number; ++retired_, calls_.pop_front()) {
            const Call& call = calls_.front();
            if (!device_.failed()) count(call);
            events_.give_back(call.begin);
            events_.give_back(call.end);
        }
    }

    void count(const Call& call) {
        float milliseconds = 0;
        report([&] { check_cuda(cudaEventElapsedTime(&milliseconds, call.begin, call.end)); });
        const double seconds = 1e-3 * milliseconds;
        if (call.kind == Kind::upload) done_times_ += {seconds, 0, 0, call.bytes, 0, 0, {}};
        if (call.kind == Kind::kernel) done_times_ += {0, seconds, 0, 0, 0, 0, {{call.kernel, seconds}}};
        if (call.kind == Kind::download) done_times_ += {0, 0, seconds, 0, call.bytes, 0, {}};
    }

    CudaDevice& device_;
    cudaStream_t stream_ = nullptr;
    mutable std::mutex mutex_;
    CudaEvents events_;
    std::deque<Call> calls_;  // not yet waited for
    std::uint64_t submitted_ = 0;
    std::uint64_t retired_ = 0;
    QueueTimes done_times_;
    std::unique_ptr<QueueWaiter> waiter_;  // made by the first call of then
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
