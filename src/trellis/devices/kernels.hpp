// Kernels by name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace trellis {

// Devices by the compiler of their kernels; clang: those of OpenCL and HIP.
enum class DeviceKind { cpu, cuda, clang };

// The arguments of a kernel. On a GPU, the function launches the kernel on `stream`: a stream of CUDA, or a LaunchQueue
// (gpu/launch_queue.hpp).
struct KernelCall {
    std::span<const std::byte> constants;
    std::span<std::byte* const> memory;
    void* stream = nullptr;

    // The constants in their type.
    template <class Constants>
    const Constants& get() const {
        return *reinterpret_cast<const Constants*>(constants.data());
    }
};

using Kernel = void (*)(const KernelCall&);

// Registers a kernel for all devices of a kind; it replaces one of the same name.
void register_kernel(DeviceKind kind, const std::string& name, Kernel kernel);

// The kernel of that name; null if it is unknown.
Kernel find_kernel(DeviceKind kind, std::string_view name);

}  // namespace trellis
