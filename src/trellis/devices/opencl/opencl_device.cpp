#include "trellis/devices/opencl/opencl_device.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "trellis/devices/gpu/event_queue.hpp"
#include "trellis/devices/gpu/queue_space.hpp"
#include "trellis/devices/opencl/opencl_context.hpp"

namespace trellis {

namespace {

// The context of a device, with the kernels that its driver has built, until the program ends: drivers are then no
// longer there to release anything.
OpenClContext& context_of(cl_device_id device) {
    static std::mutex mutex;
    static auto& all = *new std::map<cl_device_id, std::unique_ptr<OpenClContext>>;
    const std::scoped_lock lock(mutex);
    auto& context = all[device];
    if (context == nullptr) context = std::make_unique<OpenClContext>(device);
    return *context;
}

class OpenClDevice : public LocalDevice {
  public:
    OpenClDevice(cl_device_id device, const std::string& name, std::size_t memory)
        : LocalDevice(name, memory), context_(context_of(device)) {}

    std::string description() const override {
        cl_device_id device = context_.device();
        return device_text(device, CL_DEVICE_NAME) + ", " + device_text(device, CL_DEVICE_VENDOR) + ", driver " +
               device_text(device, CL_DRIVER_VERSION) + ", " +
               std::to_string(device_number<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS)) + " compute units, " +
               std::to_string(device_number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE) >> 30) +
               " GiB, double precision";
    }
    std::unique_ptr<LocalQueue> make_local_queue() override;
    std::size_t queues_wanted() const override { return 3; }  // one uploads, one computes, one downloads

    void compile(const std::shared_ptr<const KernelText>& kernel) override { context_.compile(kernel); }
    bool compiles_at_launch() const override { return true; }

    OpenClContext& context() { return context_; }

  private:
    std::byte* take(std::size_t bytes) override { return context_.allocate(bytes); }
    void give_back(std::byte* address) override { context_.release(address); }
    std::byte* allocate_host(std::size_t bytes) override {
        if (std::byte* address = context_.allocate_host(bytes); address != nullptr) return address;
        throw DeviceError(name(), "cannot have " + std::to_string(bytes) + " bytes of the host's memory for copies");
    }
    void release_host(std::byte* address) override { context_.release(address); }

    OpenClContext& context_;
};

// The event of a command that has been queued.
using Event = std::shared_ptr<std::remove_pointer_t<cl_event>>;
Event owned(cl_event event) {
    return {event, [](cl_event each) { opencl_library()->clReleaseEvent(each); }};
}

// An in-order queue.
class OpenClQueue : public EventQueue<Event>, private LaunchQueue {
  public:
    explicit OpenClQueue(OpenClDevice& device)
        : EventQueue(device, DeviceKind::clang),
          device_(device),
          context_(device.context()),
          queue_(context_.make_queue()) {}
    ~OpenClQueue() override {
        end_waiting();
        opencl_library()->clFinish(queue_);
        opencl_library()->clReleaseCommandQueue(queue_);
    }
    OpenClQueue(const OpenClQueue&) = delete;
    OpenClQueue& operator=(const OpenClQueue&) = delete;

  private:
    using Events = std::pair<Event, Event>;

    void launch_blocks(const void* kernel, const std::array<std::size_t, 2>& blocks, std::size_t threads,
                       std::span<const LaunchArgument> arguments) override {
        cl_event done = nullptr;
        context_.launch(queue_, kernel, blocks, threads, arguments, &done);
        launched_.second = owned(done);
        if (launched_.first == nullptr) launched_.first = launched_.second;
    }
    LaunchLimits limits() const override {
        cl_device_id device = context_.device();
        return {device_number<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE),
                device_number<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS)};
    }
    std::byte* work_space(std::size_t bytes) override {
        return space_.of(bytes, device_, [&] { finish(); });
    }

    Events copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
        return queued([&](cl_event* done) { context_.copy(queue_, to, from, bytes, done); });
    }
    Events run_kernel(Kernel kernel, std::span<const std::byte> constants,
                      std::span<std::byte* const> memory) override {
        launched_ = {};
        kernel({constants, memory, static_cast<LaunchQueue*>(this)});
        if (launched_.first == nullptr) return barrier(nullptr);  // there was nothing to do
        context_.check(opencl_library()->clFlush(queue_));
        return std::exchange(launched_, {});
    }
    Events run_text(const std::shared_ptr<const KernelText>& kernel, std::span<const std::byte> constants,
                    std::span<std::byte* const> memory) override {
        const auto blocks = kernel->blocks(constants);
        if (blocks[0] * blocks[1] == 0) return barrier(nullptr);
        std::vector<LaunchArgument> arguments;
        for (std::byte* const& address : memory)
            arguments.push_back({static_cast<const void*>(&address), sizeof address, true});
        arguments.push_back({constants.data(), constants.size(), false});
        return queued([&](cl_event* done) { context_.launch(queue_, kernel, arguments, blocks, done); });
    }
    Events hold(const Event& event) override { return barrier(event); }
    void wait_for(const Event& event) override {
        cl_event each = event.get();
        context_.check(opencl_library()->clWaitForEvents(1, &each));
    }
    void finish() override { opencl_library()->clFinish(queue_); }
    double seconds_between(const Events& events) override {
        cl_ulong start = 0, end = 0;
        const auto ask = [&](const Event& event, cl_profiling_info which, cl_ulong& time) {
            context_.check(opencl_library()->clGetEventProfilingInfo(event.get(), which, sizeof time, &time, nullptr));
        };
        ask(events.first, CL_PROFILING_COMMAND_START, start);
        ask(events.second, CL_PROFILING_COMMAND_END, end);
        return 1e-9 * static_cast<double>(end - start);
    }

    // Waits for all commands before it, and for an event unless it is null.
    Events barrier(const Event& event) {
        cl_event each = event.get();
        return queued([&](cl_event* done) {
            context_.check(opencl_library()->clEnqueueBarrierWithWaitList(queue_, each != nullptr ? 1 : 0,
                                                                          each != nullptr ? &each : nullptr, done));
        });
    }

    // Queues one command, and has the driver begin.
    template <class Command>
    Events queued(Command&& command) {
        cl_event done = nullptr;
        command(&done);
        const Event event = owned(done);
        context_.check(opencl_library()->clFlush(queue_));
        return {event, event};
    }

    OpenClDevice& device_;
    OpenClContext& context_;
    cl_command_queue queue_;
    QueueSpace space_;
    Events launched_;  // by the kernel that is being run
};

std::unique_ptr<LocalQueue> OpenClDevice::make_local_queue() { return std::make_unique<OpenClQueue>(*this); }

}  // namespace

bool opencl_device_serves(int number) {
    return OpenClContext::lack_of(opencl_devices().at(static_cast<std::size_t>(number))).empty();
}

bool opencl_device_is_gpu(int number) {
    cl_device_id device = opencl_devices().at(static_cast<std::size_t>(number));
    return opencl_device_serves(number) &&
           (device_number<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
}

int opencl_device_count() { return static_cast<int>(opencl_devices().size()); }

std::shared_ptr<LocalDevice> make_opencl_device(int number, std::size_t memory) {
    const std::string name = "opencl:" + std::to_string(number);
    cl_device_id device = opencl_devices().at(static_cast<std::size_t>(number));
    if (const std::string lack(OpenClContext::lack_of(device)); !lack.empty())
        throw InputError("device " + name + " (" + device_text(device, CL_DEVICE_NAME) + ") " + lack);
    const auto all = device_number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    try {
        return std::make_shared<OpenClDevice>(device, name, memory > 0 ? memory : all);
    } catch (const std::runtime_error& error) {
        throw DeviceError(name, std::string("failed: ") + error.what());
    }
}

}  // namespace trellis
