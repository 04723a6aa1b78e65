#include "trellis/devices/hip/hip_device.hpp"

#include <array>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "trellis/devices/gpu/driver_errors.hpp"
#include "trellis/devices/gpu/event_pool.hpp"
#include "trellis/devices/gpu/event_queue.hpp"
#include "trellis/devices/gpu/launch_queue.hpp"
#include "trellis/devices/gpu/queue_space.hpp"
#include "trellis/devices/hip/hip_kernels.hpp"

namespace trellis {

namespace {

// The kernels of a GPU, until the program ends: the driver is then no longer there to release anything.
HipKernels& kernels_of(int number) {
    static std::mutex mutex;
    static auto& all = *new std::map<int, HipKernels>;
    const std::scoped_lock lock(mutex);
    return all.try_emplace(number, number).first->second;
}

std::size_t attribute(int which, int number) {
    int value = 0;
    check_hip(hip_library()->hipDeviceGetAttribute(&value, which, number));
    return static_cast<std::size_t>(value);
}

std::string model(int number) {
    std::array<char, 256> name{};
    check_hip(hip_library()->hipDeviceGetName(name.data(), name.size(), number));
    const std::string architecture = hip_architecture(number);
    return std::string(name.data()) + " (" + architecture.substr(0, architecture.find(':')) + ")";
}

// Why Trellis cannot use a GPU: the end of a sentence that begins with its name. Empty if it can.
std::string lack_of(int number) {
    const std::string full = hip_architecture(number), architecture = full.substr(0, full.find(':'));
    const std::string built_for(hip_architectures());
    if ((", " + built_for + ",").find(", " + architecture + ",") != std::string::npos) return "";
    return "is " + architecture + ": Trellis was built for " + built_for +
           ", which -DTRELLIS_HIP_ARCHITECTURES chooses";
}

class HipDevice : public LocalDevice {
  public:
    HipDevice(int number, const std::string& name, std::size_t memory)
        : LocalDevice(name, memory), number_(number), kernels_(kernels_of(number)) {}

    std::string description() const override {
        std::string text;
        trellis::or_throw(name(), [&] {
            int version = 0;
            std::size_t free = 0, all = 0;
            make_current();
            check_hip(hip_library()->hipDriverGetVersion(&version));
            check_hip(hip_library()->hipMemGetInfo(&free, &all));
            text = model(number_) + ", HIP " + std::to_string(version / 10'000'000) + "." +
                   std::to_string(version / 100'000 % 100) + ", " +
                   std::to_string(attribute(hip_compute_units, number_)) + " compute units, " +
                   std::to_string(all >> 30) + " GiB";
        });
        return text;
    }
    std::unique_ptr<LocalQueue> make_local_queue() override;
    std::size_t queues_wanted() const override { return 3; }  // one uploads, one computes, one downloads

    void compile(const std::shared_ptr<const KernelText>& kernel) override {
        make_current();
        kernels_.function_of(kernel);
    }

    int number() const { return number_; }
    HipKernels& kernels() const { return kernels_; }
    // Makes this device the current one of this thread.
    void make_current() const { check_hip(hip_library()->hipSetDevice(number_)); }

  private:
    std::byte* take(std::size_t bytes) override {
        void* address = nullptr;
        int outcome = hip_library()->hipSetDevice(number_);
        if (outcome == hip_success) outcome = hip_library()->hipMalloc(&address, bytes);
        if (outcome != hip_out_of_memory) or_throw(name(), [&] { check_hip(outcome); });
        return static_cast<std::byte*>(address);
    }
    // A queue reports failures of this call.
    void give_back(std::byte* address) override {
        hip_library()->hipSetDevice(number_);
        hip_library()->hipFree(address);
    }
    // Page-locked memory, without which copies do not overlap with the host's work.
    std::byte* allocate_host(std::size_t bytes) override {
        void* address = nullptr;
        or_throw(name(), [&] {
            make_current();
            check_hip(hip_library()->hipHostMalloc(&address, bytes, hip_host_memory_of_all_devices));
        });
        return static_cast<std::byte*>(address);
    }
    void release_host(std::byte* address) override {
        hip_library()->hipSetDevice(number_);
        hip_library()->hipHostFree(address);
    }

    const int number_;
    HipKernels& kernels_;
};

using HipEvents = EventPool<HipEvent>;

HipEvent new_event() {
    HipEvent event = nullptr;
    check_hip(hip_library()->hipEventCreate(&event));
    return event;
}

// A stream.
class HipQueue : public EventQueue<HipEvents::Event>, private LaunchQueue {
  public:
    explicit HipQueue(HipDevice& device) : EventQueue(device, DeviceKind::clang), device_(device) {
        or_throw(device.name(), [&] {
            device_.make_current();
            check_hip(hip_library()->hipStreamCreateWithFlags(&stream_, hip_stream_of_its_own));
        });
    }
    ~HipQueue() override {
        end_waiting();
        hip_library()->hipStreamSynchronize(stream_);
        hip_library()->hipStreamDestroy(stream_);
    }
    HipQueue(const HipQueue&) = delete;
    HipQueue& operator=(const HipQueue&) = delete;

  private:
    using Event = HipEvents::Event;
    using Events = std::pair<Event, Event>;

    void launch_blocks(const void* kernel, const std::array<std::size_t, 2>& blocks, std::size_t threads,
                       std::span<const LaunchArgument> arguments) override {
        static std::uint64_t nothing = 0;
        std::size_t shared_bytes = 0;
        std::vector<void*> addresses;
        for (const LaunchArgument& argument : arguments) {
            if (argument.value == nullptr) shared_bytes = argument.bytes;
            addresses.push_back(argument.value == nullptr ? &nothing : const_cast<void*>(argument.value));
        }
        queue_kernel(device_.kernels().function_of(kernel), blocks, threads, shared_bytes, addresses);
    }
    LaunchLimits limits() const override {
        return {attribute(hip_shared_bytes_of_block, device_.number()), attribute(hip_compute_units, device_.number())};
    }
    std::byte* work_space(std::size_t bytes) override {
        return space_.of(bytes, device_, [&] { finish(); });
    }

    void queue_kernel(HipFunction kernel, const std::array<std::size_t, 2>& blocks, std::size_t threads,
                      std::size_t shared_bytes, std::span<void*> arguments) {
        check_hip(hip_library()->hipModuleLaunchKernel(
            kernel, static_cast<unsigned>(blocks[0]), static_cast<unsigned>(blocks[1]), 1,
            static_cast<unsigned>(threads), 1, 1, static_cast<unsigned>(shared_bytes), stream_, arguments.data(),
            nullptr));
    }

    template <class Commands>
    Events timed(Commands&& commands) {
        device_.make_current();
        Events events{events_->take(), events_->take()};
        check_hip(hip_library()->hipEventRecord(events.first.get(), stream_));
        commands();
        check_hip(hip_library()->hipEventRecord(events.second.get(), stream_));
        return events;
    }

    Events copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
        return timed(
            [&] { check_hip(hip_library()->hipMemcpyAsync(to, from, bytes, hip_copy_by_addresses, stream_)); });
    }
    Events run_kernel(Kernel kernel, std::span<const std::byte> constants,
                      std::span<std::byte* const> memory) override {
        return timed([&] { kernel({constants, memory, static_cast<LaunchQueue*>(this)}); });
    }
    Events run_text(const std::shared_ptr<const KernelText>& kernel, std::span<const std::byte> constants,
                    std::span<std::byte* const> memory) override {
        return timed([&] {
            const auto blocks = kernel->blocks(constants);
            if (blocks[0] * blocks[1] == 0) return;
            std::vector<std::byte*> pointers(memory.begin(), memory.end());
            std::vector<void*> arguments;
            arguments.reserve(memory.size() + 1);
            for (std::byte*& pointer : pointers) arguments.push_back(static_cast<void*>(&pointer));
            arguments.push_back(const_cast<std::byte*>(constants.data()));
            queue_kernel(device_.kernels().function_of(kernel), blocks, text_block_threads, 0, arguments);
        });
    }
    Events hold(const Event& event) override {
        return timed([&] { check_hip(hip_library()->hipStreamWaitEvent(stream_, event.get(), 0)); });
    }
    void wait_for(const Event& event) override { check_hip(hip_library()->hipEventSynchronize(event.get())); }
    void finish() override { hip_library()->hipStreamSynchronize(stream_); }
    double seconds_between(const Events& events) override {
        float milliseconds = 0;
        check_hip(hip_library()->hipEventElapsedTime(&milliseconds, events.first.get(), events.second.get()));
        return 1e-3 * static_cast<double>(milliseconds);
    }

    HipDevice& device_;
    HipStream stream_ = nullptr;
    QueueSpace space_;
    const std::shared_ptr<HipEvents> events_ =
        std::make_shared<HipEvents>(new_event, [](HipEvent event) { hip_library()->hipEventDestroy(event); });
};

std::unique_ptr<LocalQueue> HipDevice::make_local_queue() { return std::make_unique<HipQueue>(*this); }

}  // namespace

int hip_device_count() {
    int count = 0;  // an error: no driver or no GPU
    return hip_library() != nullptr && hip_library()->hipGetDeviceCount(&count) == hip_success ? count : 0;
}

bool hip_device_serves(int number) {
    try {
        return lack_of(number).empty();
    } catch (const std::runtime_error&) {
        return false;  // the driver does not even say which GPU it is
    }
}

std::string_view hip_architectures() { return TRELLIS_HIP_ARCHITECTURES; }

std::shared_ptr<LocalDevice> make_hip_device(int number, std::size_t memory) {
    const std::string name = "hip:" + std::to_string(number);
    std::string lack;
    std::size_t free = 0, all = 0;
    or_throw(name, [&] {
        lack = lack_of(number);
        check_hip(hip_library()->hipSetDevice(number));
        check_hip(hip_library()->hipMemGetInfo(&free, &all));
    });
    if (!lack.empty()) throw InputError("device " + name + " " + lack);
    return std::make_shared<HipDevice>(number, name, memory > 0 ? memory : free);
}

}  // namespace trellis
