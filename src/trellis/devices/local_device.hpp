// Base of the devices of this machine: their name, an account of their memory, and their first failure.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "trellis/devices/device.hpp"

namespace trellis {

struct KernelText;  // kernel_text.hpp

class LocalQueue : public Queue {
  public:
    void then(std::function<void()> call) override = 0;  // must not wait: the server's thread calls it

    // Runs a kernel that is a text: name is its name in times.
    virtual void launch_text(std::string_view name, const std::shared_ptr<const KernelText>& /*text*/,
                             std::span<const std::byte> constants, std::span<const DeviceMemory* const> memory) {
        launch(name, constants, memory);
    }

    // The address to which the caller may write the bytes of an upload itself, instead of calling upload: if all calls
    // are done and the memory is the host's. Null otherwise.
    virtual std::byte* direct_address(const DeviceMemory& /*to*/, std::size_t /*offset*/) { return nullptr; }
    // The caller has written `bytes` bytes there.
    virtual void uploaded(std::size_t /*bytes*/) {}
};

class LocalDevice : public Device {
  public:
    // memory: bytes of the device.
    LocalDevice(std::string name, std::size_t memory) : name_(std::move(name)), memory_(memory) {}

    const std::string& name() const override { return name_; }
    std::size_t memory_bytes() const override { return memory_; }
    std::size_t memory_left() const override { return memory_ - used_; }

    std::unique_ptr<Queue> make_queue() final { return make_local_queue(); }
    virtual std::unique_ptr<LocalQueue> make_local_queue() = 0;

    // Compiles a kernel, as its first launch would. Any thread may call it. Throws std::runtime_error with the driver's
    // message.
    virtual void compile(const std::shared_ptr<const KernelText>& /*kernel*/) {}
    // True if the first launch of a kernel of the library has the driver compile it, which may take seconds.
    virtual bool compiles_at_launch() const { return false; }

    // Records a failure, of which the first counts. Calls are not carried out any more.
    void fail(const std::string& failure);
    bool failed() const { return failed_; }
    // The first failure; empty if no call has failed.
    std::string failure();
    // Throws DeviceError if a call has failed.
    void throw_failure();
    // No result is wanted any more: kernels that run may be ended.
    virtual void abandon() {}

  private:
    // Allocates memory of the device; null if there is too little.
    virtual std::byte* take(std::size_t bytes) = 0;
    virtual void give_back(std::byte* address) = 0;

    std::byte* allocate(std::size_t bytes) final;
    void release(std::byte* address, std::size_t bytes) final;

    const std::string name_;
    const std::size_t memory_;
    std::atomic<std::size_t> used_ = 0;
    std::atomic<bool> failed_ = false;
    std::mutex failure_mutex_;
    std::string failure_;
};

}  // namespace trellis
