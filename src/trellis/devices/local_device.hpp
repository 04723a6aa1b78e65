// The common part of the devices of this machine: a name, an account of their memory, and their first failure.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "trellis/devices/device.hpp"

namespace trellis {

class LocalQueue : public Queue {
  public:
    void then(std::function<void()> call) override = 0;  // never waits: the server's thread must not

    // Where the caller may put the bytes of an upload itself, instead of calling upload: if everything that was called
    // is done, and the memory is the host's. Null otherwise.
    virtual std::byte* place_at_once(const DeviceMemory& /*to*/, std::size_t /*offset*/) { return nullptr; }
    // It has put so many bytes there.
    virtual void uploaded(std::size_t /*bytes*/) {}
};

class LocalDevice : public Device {
  public:
    // memory: bytes that the device hands out.
    LocalDevice(std::string name, std::size_t memory) : name_(std::move(name)), memory_(memory) {}

    const std::string& name() const override { return name_; }
    std::size_t memory_bytes() const override { return memory_; }
    std::size_t memory_left() const override { return memory_ - used_; }

    std::unique_ptr<Queue> make_queue() final { return make_local_queue(); }
    virtual std::unique_ptr<LocalQueue> make_local_queue() = 0;

    // Records a failure; the first one of any queue counts. From then on nothing is carried out any more.
    void fail(const std::string& failure);
    bool failed() const { return failed_; }
    // The first failure; empty if there was none.
    std::string failure();
    // Throws DeviceError if there was a failure.
    void throw_failure();

  private:
    // Memory of the device; null if it has no more.
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
