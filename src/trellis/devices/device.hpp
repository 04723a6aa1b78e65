// A device: memory, ordered queues of work, and kernels known by name. It may be this machine's processor (cpu), a GPU
// (cuda:0), or a device of another machine; a program written for one runs on any other.
//
// Calls on a queue return at once and are carried out in order. No call but wait needs an answer before the next one:
// allocation, upload, launch and download go one way, so that many of them fit into one message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trellis/base/error.hpp"

namespace trellis {

// A device has failed: it is out of memory, lost, or a kernel failed. The message names the device. Another device can
// do its work.
class DeviceError : public RunError {
  public:
    DeviceError(const std::string& device, const std::string& failure)
        : RunError("device " + device + " " + failure), device_(device), failure_(failure) {}

    // The name of the device.
    const std::string& device() const { return device_; }
    // The message without the name of the device.
    const std::string& failure() const { return failure_; }

  private:
    std::string device_, failure_;
};

class Device;
class Queue;
struct NumberRecords;  // packing/moving_numbers.hpp

// Bytes on a device. They may be released only after waiting for the queues that use them.
class DeviceMemory {
  public:
    DeviceMemory() = default;
    // Throws DeviceError if the device has too little memory left.
    DeviceMemory(std::shared_ptr<Device> device, std::size_t bytes);
    ~DeviceMemory();
    DeviceMemory(DeviceMemory&& other) noexcept;
    DeviceMemory& operator=(DeviceMemory&& other) noexcept;

    std::size_t bytes() const { return bytes_; }
    // The address on the device, which the host must not use.
    std::byte* address() const { return address_; }

  private:
    std::shared_ptr<Device> device_;
    std::byte* address_ = nullptr;
    std::size_t bytes_ = 0;
};

// Bytes of the host that a device can copy from and to while the host computes.
class HostMemory {
  public:
    HostMemory() = default;
    HostMemory(std::shared_ptr<Device> device, std::size_t bytes);
    ~HostMemory();
    HostMemory(HostMemory&& other) noexcept;
    HostMemory& operator=(HostMemory&& other) noexcept;

    std::size_t bytes() const { return bytes_; }
    std::byte* begin() const { return address_; }

  private:
    std::shared_ptr<Device> device_;
    std::byte* address_ = nullptr;
    std::size_t bytes_ = 0;
};

// A point in a queue, which is reached when all calls before it are done.
struct Mark {
    const Queue* queue = nullptr;
    std::uint64_t number = 0;
};

// Seconds that a queue has spent on each kind of call, and bytes copied; for a remote device, bytes sent and received.
struct QueueTimes {
    double upload = 0, kernel = 0, download = 0;
    std::uint64_t bytes_up = 0, bytes_down = 0;
    std::uint64_t round_trips = 0;                       // to a remote device
    std::map<std::string, double, std::less<>> kernels;  // seconds of each kernel, by name
    QueueTimes& operator+=(const QueueTimes& other);
};

class Queue {
  public:
    virtual ~Queue() = default;

    // Copies to the device. from must not change until the queue has been waited for.
    virtual void upload(const DeviceMemory& to, std::size_t offset, std::span<const std::byte> from) = 0;
    // Copies to the host. to is valid once the queue has been waited for.
    virtual void download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) = 0;
    // Runs a kernel (kernels.hpp) on this memory; constants are copied.
    virtual void launch(std::string_view kernel, std::span<const std::byte> constants,
                        std::span<const DeviceMemory* const> memory) = 0;
    // Uploads to the beginning of the memory records of numbers that change little from one copy to the next. A remote
    // device receives their difference from a prediction by previous copies. The queue must have been waited for since
    // the previous copy. restart: the numbers are unrelated to previous copies.
    virtual void upload_delta(const DeviceMemory& to, std::span<const std::byte> from, const NumberRecords& records,
                              bool restart);

    virtual Mark mark() = 0;
    // Makes later calls wait for a mark of another queue of the same device.
    virtual void after(const Mark& mark) = 0;
    // Sends the calls that the queue of a remote device has gathered. wait does so as well.
    virtual void flush() {}

    // Returns when all calls before a mark of this queue are done. Throws DeviceError if a call has failed, on this
    // queue or another one of the device.
    virtual void wait(const Mark& mark) = 0;
    void wait() { wait(mark()); }
    // Runs `call` once all calls before it are done or have failed; before this function returns if they are done
    // already. A thread of the queue may run it: it must be short, and must not call the device. The default waits
    // first.
    virtual void then(std::function<void()> call);
    // Waits, and returns the exception that wait would throw, or null.
    std::exception_ptr settle(const Mark& mark);
    std::exception_ptr settle() { return settle(mark()); }

    // Times of all calls that have been waited for since the last take_times.
    virtual QueueTimes take_times() = 0;
};

class Device : public std::enable_shared_from_this<Device> {
  public:
    virtual ~Device() = default;

    virtual const std::string& name() const = 0;   // as given to open_device
    virtual std::string description() const = 0;   // for people
    virtual std::size_t memory_bytes() const = 0;  // total
    virtual std::size_t memory_left() const = 0;

    // The device must outlive its queues.
    virtual std::unique_ptr<Queue> make_queue() = 0;
    // The number of queues that keep the device busy while the host prepares the next work.
    virtual std::size_t queues_wanted() const = 0;

    // The device that continues the work of this one after the device named `failed` has failed: this device itself if
    // it does not depend on that one; null if no device can.
    virtual std::shared_ptr<Device> successor(std::string_view failed);

  private:
    friend class DeviceMemory;
    friend class HostMemory;
    virtual std::byte* allocate(std::size_t bytes) = 0;
    virtual void release(std::byte* address, std::size_t bytes) = 0;
    virtual std::byte* allocate_host(std::size_t bytes);
    virtual void release_host(std::byte* address);
};

}  // namespace trellis
