// Processes for the kernels of devices that are lent.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/isolated/passed_messages.hpp"

namespace trellis {

// A process that starts others. It is forked from the present one, whose kernels it knows, and should be before that
// has threads.
class KernelProcesses : public std::enable_shared_from_this<KernelProcesses> {
  public:
    // begun: called in the process first, if given. Throws std::runtime_error if the system refuses a process.
    explicit KernelProcesses(const std::function<void()>& begun = {});
    ~KernelProcesses();
    KernelProcesses(const KernelProcesses&) = delete;
    KernelProcesses& operator=(const KernelProcesses&) = delete;

    // The process of one device, which starts with its first launch. memory: bytes of the device; threads: of a kernel.
    std::shared_ptr<KernelProcess> make(std::size_t memory, int threads);

    // Starts a process with the memory and the control socket of these descriptors. Called by any thread.
    void start(std::size_t memory_bytes, int threads, const OwnDescriptor& memory, const OwnDescriptor& control);

  private:
    std::mutex mutex_;
    OwnDescriptor control_;
    int process_ = 0;
};

}  // namespace trellis
