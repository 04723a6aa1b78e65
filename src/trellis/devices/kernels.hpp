// Kernels by name: what a device can be asked to run.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace trellis {

enum class DeviceKind { cpu, cuda };

// What a kernel is called with. A kernel of a GPU only launches, on the stream given.
struct KernelCall {
    std::span<const std::byte> constants;
    std::span<std::byte* const> memory;
    void* stream = nullptr;

    // The constants as what they are.
    template <class Constants>
    const Constants& get() const {
        return *reinterpret_cast<const Constants*>(constants.data());
    }
};

using Kernel = void (*)(const KernelCall&);

// Makes a kernel known for all devices of a kind. Doing so again changes nothing.
void register_kernel(DeviceKind kind, const std::string& name, Kernel kernel);

// Null if there is none of that name.
Kernel find_kernel(DeviceKind kind, std::string_view name);

}  // namespace trellis
