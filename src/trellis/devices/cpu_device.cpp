#include "trellis/devices/cpu_device.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/kernel_text.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/devices/local_device.hpp"

namespace trellis {

namespace {

constexpr std::align_val_t alignment{64};
// Bytes that are copied in less time than it takes to wake the worker.
constexpr std::size_t longest_copy_at_once = 8 << 10;

class CpuDevice : public LocalDevice {
  public:
    CpuDevice(const std::string& name, std::size_t memory, int threads, std::shared_ptr<KernelProcess> process)
        : LocalDevice(name, memory), threads_(threads), process_(std::move(process)) {}

    std::string description() const override { return "this processor, " + std::to_string(threads_) + " threads"; }
    std::unique_ptr<LocalQueue> make_local_queue() override;
    std::size_t queues_wanted() const override { return 2; }
    void abandon() override {
        if (process_ != nullptr) process_->end();
    }
    int threads() const { return threads_; }
    std::unique_ptr<KernelProcess::Lane> make_lane() const {
        return process_ == nullptr ? nullptr : process_->make_lane();
    }

  private:
    std::byte* take(std::size_t bytes) override {
        return process_ != nullptr ? process_->allocate(bytes)
                                   : static_cast<std::byte*>(::operator new(bytes, alignment));
    }
    void give_back(std::byte* address) override {
        if (process_ != nullptr)
            process_->release(address);
        else
            ::operator delete(address, alignment);
    }

    const int threads_;
    const std::shared_ptr<KernelProcess> process_;
};

class CpuQueue : public LocalQueue {
  public:
    explicit CpuQueue(CpuDevice& device) : device_(device), lane_(device.make_lane()), worker_([this] { work(); }) {}
    ~CpuQueue() override {
        {
            const std::scoped_lock lock(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        worker_.join();
    }
    CpuQueue(const CpuQueue&) = delete;
    CpuQueue& operator=(const CpuQueue&) = delete;

    void upload(const DeviceMemory& to, std::size_t offset, std::span<const std::byte> from) override {
        copy(from.size(), [this, target = to.address() + offset, from] {
            times_.bytes_up += from.size();
            timed(times_.upload, [&] { std::ranges::copy(from, target); });
        });
    }

    void download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) override {
        copy(to.size(), [this, source = from.address() + offset, to] {
            times_.bytes_down += to.size();
            timed(times_.download, [&] { std::copy_n(source, to.size(), to.begin()); });
        });
    }

    std::byte* direct_address(const DeviceMemory& to, std::size_t offset) override {
        return idle() ? to.address() + offset : nullptr;
    }
    void uploaded(std::size_t bytes) override {
        const std::scoped_lock lock(mutex_);
        done_times_.bytes_up += bytes;
    }

    void launch(std::string_view kernel, std::span<const std::byte> constants,
                std::span<const DeviceMemory* const> memory) override {
        const Kernel known = find_kernel(DeviceKind::cpu, kernel);
        push_launch(kernel, known, known == nullptr ? find_kernel_text(kernel) : nullptr, constants, memory);
    }
    void launch_text(std::string_view name, const std::shared_ptr<const KernelText>& text,
                     std::span<const std::byte> constants, std::span<const DeviceMemory* const> memory) override {
        push_launch(name, nullptr, text, constants, memory);
    }

    Mark mark() override { return {this, submitted_}; }

    void after(const Mark& mark) override {
        push([mark] { static_cast<const CpuQueue*>(mark.queue)->wait_until(mark.number); });
    }

    void wait(const Mark& mark) override {
        wait_until(mark.number);
        device_.throw_failure();
    }

    void then(std::function<void()> call) override {
        if (idle())
            call();
        else
            push(std::move(call), true);
    }

    QueueTimes take_times() override {
        const std::scoped_lock lock(mutex_);
        return std::exchange(done_times_, {});
    }

  private:
    // known: the kernel, or null where text is it.
    void push_launch(std::string_view kernel, Kernel known, const std::shared_ptr<const KernelText>& text,
                     std::span<const std::byte> constants, std::span<const DeviceMemory* const> memory) {
        std::vector<std::byte*> addresses;
        for (const DeviceMemory* part : memory) addresses.push_back(part->address());
        push([this, known, text, name = std::string(kernel), copied = std::vector(constants.begin(), constants.end()),
              addresses = std::move(addresses)] {
            if (known == nullptr && (text == nullptr || !text->on_processor))
                return device_.fail("has no kernel '" + name + "'");
            double seconds = 0;
            timed(seconds, [&] {
                const KernelCall call{copied, addresses};
                if (lane_ != nullptr)
                    lane_->run(name, text == nullptr ? std::span<const std::byte>() : text->graph, call);
                else if (text != nullptr)
                    text->on_processor(call);
                else
                    known(call);
            });
            times_.kernel += seconds;
            times_.kernels[name] += seconds;
        });
    }

    template <class Body>
    static void timed(double& seconds, Body&& body) {
        const auto start = std::chrono::steady_clock::now();
        body();
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    struct Call {
        std::function<void()> body;
        bool always;  // carried out also after a failure
    };

    // True if all calls are done, which only the caller can change.
    bool idle() const {
        const std::scoped_lock lock(mutex_);
        return completed_ == submitted_;
    }

    template <class Body>
    void copy(std::size_t bytes, Body body) {
        if (bytes > longest_copy_at_once || !idle()) return push(std::move(body));
        if (device_.failed()) return;
        body();
        const std::scoped_lock lock(mutex_);
        done_times_ += std::exchange(times_, {});
    }

    void push(std::function<void()> body, bool always = false) {
        {
            const std::scoped_lock lock(mutex_);
            calls_.push_back({std::move(body), always});
            ++submitted_;
        }
        changed_.notify_all();
    }

    void wait_until(std::uint64_t number) const {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return completed_ >= number; });
    }

    // Carries out the calls in order until the queue ends.
    void work() {
        set_thread_count(device_.threads());
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [&] { return ending_ || !calls_.empty(); });
            if (calls_.empty()) return;
            const Call call = std::move(calls_.front());
            calls_.pop_front();
            lock.unlock();
            carry_out(call);
            lock.lock();
            ++completed_;
            done_times_ += std::exchange(times_, {});
            changed_.notify_all();
        }
    }

    void carry_out(const Call& call) {
        if (device_.failed() && !call.always) return;
        try {
            call.body();
        } catch (const std::exception& error) {
            device_.fail(std::string("failed: ") + error.what());
        }
    }

    CpuDevice& device_;
    const std::unique_ptr<KernelProcess::Lane> lane_;  // null: kernels run in this process
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::deque<Call> calls_;
    std::uint64_t submitted_ = 0;  // counted by the host's thread
    std::uint64_t completed_ = 0;
    bool ending_ = false;
    QueueTimes times_;       // times of the call being carried out
    QueueTimes done_times_;  // times of the calls before it
    std::thread worker_;     // last: it uses everything above
};

std::unique_ptr<LocalQueue> CpuDevice::make_local_queue() { return std::make_unique<CpuQueue>(*this); }

}  // namespace

std::shared_ptr<LocalDevice> make_cpu_device(std::size_t memory, int threads, const std::string& name,
                                             std::shared_ptr<KernelProcess> process) {
    return std::make_shared<CpuDevice>(name, memory, threads, std::move(process));
}

std::shared_ptr<LocalDevice> threads_as_device() {
    return make_cpu_device(std::numeric_limits<std::size_t>::max(), thread_count());
}

}  // namespace trellis
