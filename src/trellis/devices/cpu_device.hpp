// The processor as a device: each queue is a thread that carries out its calls; kernels use further threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trellis/devices/kernels.hpp"
#include "trellis/devices/local_device.hpp"

namespace trellis {

// Another process, in which the kernels of a device run, and the memory that it shares with this one.
class KernelProcess {
  public:
    // Launches of one queue, which one thread makes.
    class Lane {
      public:
        virtual ~Lane() = default;
        // Runs a kernel; graph: that it is made of (kernel_text.hpp), or empty. Throws std::runtime_error if it fails,
        // or the process has ended.
        virtual void run(std::string_view kernel, std::span<const std::byte> graph, const KernelCall& call) = 0;
    };

    virtual ~KernelProcess() = default;
    // Null if there is no memory.
    virtual std::byte* allocate(std::size_t bytes) = 0;
    virtual void release(std::byte* address) = 0;
    virtual std::unique_ptr<Lane> make_lane() = 0;
    // Ends the process, and so a kernel that runs.
    virtual void end() = 0;
};

// memory: bytes of the device. threads: their number for each kernel. name: cpu, or that of a copy. process: where
// kernels run; null: in this process.
std::shared_ptr<LocalDevice> make_cpu_device(std::size_t memory, int threads, const std::string& name = "cpu",
                                             std::shared_ptr<KernelProcess> process = nullptr);

// The threads of this process as a device with unlimited memory.
std::shared_ptr<LocalDevice> threads_as_device();

}  // namespace trellis
