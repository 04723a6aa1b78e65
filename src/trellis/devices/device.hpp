// A device: something with memory of its own, ordered queues of work, and kernels that are known by name. It may be
// this machine's processor (cpu), a GPU (cuda:0), or stand in another room; a program written for one runs on any
// other.
//
// Calls on a queue return at once and are carried out in order. No call needs an answer before the next can be made,
// except wait: allocation, upload, launch and download go one way only, so that many of them fit into one message.
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

// A device failed: out of memory, lost, or a kernel went wrong. The message names the device. Its work can be given to
// another device.
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

// Bytes on a device. They may be released only when the queues that work on them have been waited for.
class DeviceMemory {
  public:
    DeviceMemory() = default;
    // Throws DeviceError if the device has too little memory left.
    DeviceMemory(std::shared_ptr<Device> device, std::size_t bytes);
    ~DeviceMemory();
    DeviceMemory(DeviceMemory&& other) noexcept;
    DeviceMemory& operator=(DeviceMemory&& other) noexcept;

    std::size_t bytes() const { return bytes_; }
    // The address on the device; it means nothing on the host.
    std::byte* address() const { return address_; }

  private:
    std::shared_ptr<Device> device_;
    std::byte* address_ = nullptr;
    std::size_t bytes_ = 0;
};

// Bytes of the host that a device can copy from and to while the host goes on working.
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

// A point in a queue: everything that was called before it.
struct Mark {
    const Queue* queue = nullptr;
    std::uint64_t number = 0;
};

// Seconds that a queue has spent on each kind of call, and the bytes moved: to a remote device those on their way.
struct QueueTimes {
    double upload = 0, kernel = 0, download = 0;
    std::uint64_t bytes_up = 0, bytes_down = 0;
    std::uint64_t round_trips = 0;                       // of messages, to a remote device
    std::map<std::string, double, std::less<>> kernels;  // the kernel seconds of each kernel, by name
    QueueTimes& operator+=(const QueueTimes& other);
};

class Queue {
  public:
    virtual ~Queue() = default;

    // Copies to the device. from must stay as it is until the queue has been waited for.
    virtual void upload(const DeviceMemory& to, std::size_t offset, std::span<const std::byte> from) = 0;
    // Copies to the host. to has the bytes once the queue has been waited for.
    virtual void download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) = 0;
    // Runs the kernel of that name (see kernels.hpp) on this memory. constants are copied.
    virtual void launch(std::string_view kernel, std::span<const std::byte> constants,
                        std::span<const DeviceMemory* const> memory) = 0;
    // upload from the beginning of the memory on, for records of numbers that are copied there again and again while
    // they move little: a remote device is sent by what they differ from what the former copies let expect. The queue
    // has been waited for since the former copy. anew: they have nothing to do with that.
    virtual void upload_delta(const DeviceMemory& to, std::span<const std::byte> from, const NumberRecords& records,
                              bool anew);

    virtual Mark mark() = 0;
    // Makes later calls wait for a mark of another queue of the same device.
    virtual void after(const Mark& mark) = 0;
    // Sends the calls that the queue of a remote device may have gathered until now. wait does so, too.
    virtual void flush() {}

    // Returns when everything before a mark of this queue is done. Throws DeviceError if any of it failed, here or on
    // another queue of the device.
    virtual void wait(const Mark& mark) = 0;
    void wait() { wait(mark()); }
    // Calls back once everything before is done, also after a failure: before this returns, if it is done already. The
    // call may come from a thread of the queue, which it must not hold up, and makes no call to the device. A queue
    // that cannot do so waits, and then calls.
    virtual void then(std::function<void()> call);
    // Waits as wait does. Returns the failure that wait would throw, or null.
    std::exception_ptr settle(const Mark& mark);
    std::exception_ptr settle() { return settle(mark()); }

    // The times of all calls that have been waited for since the last take_times.
    virtual QueueTimes take_times() = 0;
};

class Device : public std::enable_shared_from_this<Device> {
  public:
    virtual ~Device() = default;

    virtual const std::string& name() const = 0;   // as given to open_device
    virtual std::string description() const = 0;   // for people
    virtual std::size_t memory_bytes() const = 0;  // in all
    virtual std::size_t memory_left() const = 0;

    // The device must outlive its queues.
    virtual std::unique_ptr<Queue> make_queue() = 0;
    // The number of queues that keep the device busy while the host prepares the next work.
    virtual std::size_t queues_wanted() const = 0;

    // What goes on in the place of this device when the device of that name, this one or another, has failed: this one
    // if it has nothing to do with that; null if there is nothing.
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
