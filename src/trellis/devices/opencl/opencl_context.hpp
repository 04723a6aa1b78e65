// A device of OpenCL with its memory and the kernels that its driver has built. It lives until the program ends.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "trellis/devices/gpu/launch_queue.hpp"
#include "trellis/devices/kernel_text.hpp"
#include "trellis/devices/opencl/opencl_library.hpp"

namespace trellis {

// All functions may be called by several threads. They throw std::runtime_error with the driver's message.
class OpenClContext {
  public:
    explicit OpenClContext(cl_device_id device);
    OpenClContext(const OpenClContext&) = delete;
    OpenClContext& operator=(const OpenClContext&) = delete;

    // Why Trellis cannot use a device: the end of a sentence that begins with its name. Empty if it can.
    static std::string_view lack_of(cl_device_id device);

    cl_device_id device() const { return device_; }
    cl_command_queue make_queue() const;

    // Memory of the device, or of the host where copies need not be staged. Null if there is too little.
    std::byte* allocate(std::size_t bytes) const;
    std::byte* allocate_host(std::size_t bytes) const;
    void release(std::byte* address) const { free_(context_, address); }

    // Queues a copy between any two of these and the memory of the program.
    void copy(cl_command_queue queue, void* to, const void* from, std::size_t bytes, cl_event* done) const;
    // Queues a kernel of the program (launch_queue.hpp), which is built when it is launched for the first time. Others
    // are launched meanwhile.
    void launch(cl_command_queue queue, const void* kernel, const std::array<std::size_t, 2>& blocks,
                std::size_t threads, std::span<const LaunchArgument> arguments, cl_event* done);
    // The same for a kernel as text.
    void launch(cl_command_queue queue, const std::shared_ptr<const KernelText>& kernel,
                std::span<const LaunchArgument> arguments, const std::array<std::size_t, 2>& blocks, cl_event* done);

    // Builds a kernel. Those of texts that are gone are released then.
    void compile(const std::shared_ptr<const KernelText>& kernel);

    // Throws if there was an error.
    void check(cl_int error) const;

  private:
    void launch_built(cl_command_queue queue, cl_kernel kernel, const std::array<std::size_t, 2>& blocks,
                      std::size_t threads, std::span<const LaunchArgument> arguments, cl_event* done) const;
    void compile(const void* kernel);
    bool has(const void* kernel);
    cl_kernel built(const KernelText& kernel) const;
    cl_kernel kernel_of(cl_program program, const std::string& name) const;
    cl_program built_module(std::span<const std::uint32_t> module);
    void build(cl_program program) const;
    [[noreturn]] void fail(cl_int error, const std::string& message) const;

    const cl_device_id device_;
    cl_context context_ = nullptr;
    clDeviceMemAllocINTEL_fn allocate_ = nullptr;
    clHostMemAllocINTEL_fn allocate_host_ = nullptr;
    clMemFreeINTEL_fn free_ = nullptr;
    clEnqueueMemcpyINTEL_fn copy_ = nullptr;
    clSetKernelArgMemPointerINTEL_fn set_pointer_ = nullptr;

    mutable std::mutex message_mutex_;
    std::string message_;  // the latest one of the driver
    std::mutex building_;  // of the modules
    std::map<const std::uint32_t*, cl_program> modules_;
    std::mutex mutex_;  // of the kernels, whose arguments are set one launch at a time
    std::map<const void*, cl_kernel> kernels_;
    std::map<std::weak_ptr<const KernelText>, cl_kernel, std::owner_less<>> texts_;
};

}  // namespace trellis
