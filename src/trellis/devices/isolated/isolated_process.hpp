// The process of the kernels of one device, from the server's side.
#pragma once

#include <memory>
#include <mutex>

#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/isolated/kernel_processes.hpp"
#include "trellis/devices/isolated/shared_arena.hpp"

namespace trellis {

class IsolatedProcess : public KernelProcess, public std::enable_shared_from_this<IsolatedProcess> {
  public:
    IsolatedProcess(std::shared_ptr<KernelProcesses> starter, std::size_t memory, int threads);

    std::byte* allocate(std::size_t bytes) override { return arena_.allocate(bytes); }
    void release(std::byte* address) override { arena_.release(address); }
    std::unique_ptr<Lane> make_lane() override;
    void end() override;

    // A socket for the launches of one queue. Starts the process if it does not run yet. Called by any thread.
    OwnDescriptor connect();
    const SharedArena& arena() const { return arena_; }

  private:
    const std::shared_ptr<KernelProcesses> starter_;
    const int threads_;
    SharedArena arena_;
    std::mutex mutex_;
    OwnDescriptor control_;
    bool started_ = false, ended_ = false;
};

}  // namespace trellis
