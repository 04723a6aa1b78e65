// A queue of a GPU's driver, which carries out commands in order. Events of the driver, before and after the commands
// of each call, measure its time; a mark refers to the event after it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "trellis/devices/gpu/queue_waiter.hpp"
#include "trellis/devices/kernel_text.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/devices/local_device.hpp"

namespace trellis {

// Event: may be copied, and is null for none.
template <class Event>
class EventQueue : public LocalQueue {
  public:
    void upload(const DeviceMemory& to, std::size_t offset, std::span<const std::byte> from) final {
        push(Kind::upload, from.size(), {}, [&] { return copy(to.address() + offset, from.data(), from.size()); });
    }
    void download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) final {
        push(Kind::download, to.size(), {}, [&] { return copy(to.data(), from.address() + offset, to.size()); });
    }
    void launch(std::string_view kernel, std::span<const std::byte> constants,
                std::span<const DeviceMemory* const> memory) final {
        const Kernel run = find_kernel(kind_, kernel);
        if (run != nullptr)
            return launch_with(kernel, constants, memory, [&](auto... with) { return run_kernel(run, with...); });
        const auto text = find_kernel_text(kernel);
        if (text == nullptr) return device_.fail("has no kernel '" + std::string(kernel) + "'");
        launch_text(kernel, text, constants, memory);
    }
    void launch_text(std::string_view name, const std::shared_ptr<const KernelText>& text,
                     std::span<const std::byte> constants, std::span<const DeviceMemory* const> memory) final {
        launch_with(name, constants, memory, [&](auto... with) { return run_text(text, with...); });
    }

    Mark mark() final {
        const std::scoped_lock lock(mutex_);
        return {this, submitted_};
    }
    void after(const Mark& mark) final {
        const Event end = static_cast<const EventQueue*>(mark.queue)->end_of(mark.number);
        if (end != nullptr) push(Kind::after, 0, {}, [&] { return hold(end); });
    }
    void wait(const Mark& mark) final {
        if (device_.failed())
            finish();  // so that no copy uses the caller's memory any more
        else if (const Event end = end_of(mark.number); end != nullptr)
            report([&] { wait_for(end); });
        retire(mark.number);
        device_.throw_failure();
    }
    void then(std::function<void()> call) final {
        if (waiter_ == nullptr) waiter_ = std::make_unique<QueueWaiter>(*this);
        waiter_->then(mark(), std::move(call));
    }

    QueueTimes take_times() final {
        const std::scoped_lock lock(mutex_);
        return std::exchange(done_times_, {});
    }

  protected:
    EventQueue(LocalDevice& device, DeviceKind kind) : device_(device), kind_(kind) {}

    // For destructors of queues, which must call it first: waits until the functions of `then` have been called.
    void end_waiting() { waiter_.reset(); }

  private:
    using Events = std::pair<Event, Event>;  // before and after some commands
    enum class Kind { upload, kernel, download, after };
    struct Call {
        Kind kind;
        std::uint64_t bytes;
        std::string kernel;  // its name
        Events events;
    };

    // The calls of a driver, which throw std::runtime_error with its message. The first four queue commands; hold, for
    // later ones, to wait for an event of another queue.
    virtual Events copy(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
    virtual Events run_kernel(Kernel kernel, std::span<const std::byte> constants,
                              std::span<std::byte* const> memory) = 0;
    virtual Events run_text(const std::shared_ptr<const KernelText>& kernel, std::span<const std::byte> constants,
                            std::span<std::byte* const> memory) = 0;
    virtual Events hold(const Event& event) = 0;
    virtual void wait_for(const Event& event) = 0;
    virtual void finish() = 0;  // waits for all commands; throws nothing
    virtual double seconds_between(const Events& events) = 0;

    // A failure becomes the device's, which wait throws.
    template <class Calls>
    void report(Calls&& calls) {
        try {
            calls();
        } catch (const std::exception& error) {
            device_.fail(std::string("failed: ") + error.what());
        }
    }

    // Calls run with the constants and the addresses of the memory.
    template <class Run>
    void launch_with(std::string_view kernel, std::span<const std::byte> constants,
                     std::span<const DeviceMemory* const> memory, Run&& run) {
        push(Kind::kernel, 0, kernel, [&] {
            const std::vector<std::byte> aligned(constants.begin(), constants.end());
            std::vector<std::byte*> addresses;
            for (const DeviceMemory* part : memory) addresses.push_back(part->address());
            return run(std::span<const std::byte>(aligned), std::span<std::byte* const>(addresses));
        });
    }

    template <class Commands>
    void push(Kind kind, std::uint64_t bytes, std::string_view kernel, Commands&& commands) {
        if (device_.failed()) return;
        report([&] {
            Call call{kind, bytes, std::string(kernel), commands()};
            const std::scoped_lock lock(mutex_);
            calls_.push_back(std::move(call));
            ++submitted_;
        });
    }

    // The event after a call; null if the call has been waited for.
    Event end_of(std::uint64_t number) const {
        const std::scoped_lock lock(mutex_);
        return number > retired_ ? calls_[number - retired_ - 1].events.second : nullptr;
    }

    // Adds the times of the calls up to this one, and forgets them.
    void retire(std::uint64_t number) {
        const std::scoped_lock lock(mutex_);
        for (; retired_ < number; ++retired_, calls_.pop_front())
            if (!device_.failed()) count(calls_.front());
    }

    void count(const Call& call) {
        double seconds = 0;
        report([&] { seconds = seconds_between(call.events); });
        if (call.kind == Kind::upload) done_times_ += {seconds, 0, 0, call.bytes, 0, 0, {}};
        if (call.kind == Kind::kernel) done_times_ += {0, seconds, 0, 0, 0, 0, {{call.kernel, seconds}}};
        if (call.kind == Kind::download) done_times_ += {0, 0, seconds, 0, call.bytes, 0, {}};
    }

    LocalDevice& device_;
    const DeviceKind kind_;
    mutable std::mutex mutex_;
    std::deque<Call> calls_;  // not yet waited for
    std::uint64_t submitted_ = 0;
    std::uint64_t retired_ = 0;
    QueueTimes done_times_;
    std::unique_ptr<QueueWaiter> waiter_;  // made by the first call of then
};

}  // namespace trellis
