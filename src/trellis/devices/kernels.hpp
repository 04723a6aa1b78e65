// Kernels by name: what a device can be asked to run.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace trellis {

enum class DeviceKind { cpu, cuda };

// The arguments of a kernel. A GPU's kernel only launches, on the stream given.
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

// Makes a kernel known for all devices of a kind, in place of one of that name.
void register_kernel(DeviceKind kind, const std::string& name, Kernel kernel);

// The kernel of that name; null if there is none.
Kernel find_kernel(DeviceKind kind, std::string_view name);

}  // namespace trellis
