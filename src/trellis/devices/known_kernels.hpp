// All registered kernels and their arguments: for a server, which checks the calls of its clients, and for a library
// that passes its kernels to the program that has loaded it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trellis/devices/kernels.hpp"
#include "trellis/devices/memory_use.hpp"

namespace trellis {

// Sizes of the arguments of a kernel, the same on devices of any kind.
struct KernelArguments {
    std::size_t constants_bytes;
    std::size_t memories;
    MemoryUses uses;  // of the memories by a launch
};

// Registers a kernel and its arguments.
void register_kernel(DeviceKind kind, const std::string& name, Kernel kernel, const KernelArguments& arguments);

// The arguments of a kernel; empty if they are unknown, so that a server does not launch it.
std::optional<KernelArguments> arguments_of(std::string_view name);

// Why a launch with these constants, and memories of these bytes each, would go beyond its arguments; empty if it would
// not. Numbers in the memories, such as those of lists, are not checked.
std::string excess_of(const KernelArguments& taken, std::span<const std::byte> constants,
                      std::span<const std::uint64_t> memory_bytes);

// Calls take for each registered kernel; arguments: null if unknown. take must not register kernels.
using TakeKnownKernel =
    std::function<void(DeviceKind kind, const std::string& name, Kernel kernel, const KernelArguments* arguments)>;
void for_each_kernel(const TakeKnownKernel& take);

}  // namespace trellis
