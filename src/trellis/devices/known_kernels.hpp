// All kernels that are known, and what they are launched with: for a server, which believes no client, and for a
// library that hands them over to the program that has loaded it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "trellis/devices/kernels.hpp"

namespace trellis {

// What every launch of a kernel gives it, on devices of any kind.
struct KernelArguments {
    std::size_t constants_bytes;
    std::size_t memories;

    friend bool operator==(const KernelArguments&, const KernelArguments&) = default;
};

// Makes a kernel known, and what it is launched with.
void register_kernel(DeviceKind kind, const std::string& name, Kernel kernel, const KernelArguments& arguments);

// None if they were not given for any kernel of that name: a server launches no such kernel.
std::optional<KernelArguments> arguments_of(std::string_view name);

// Calls back with each kernel that was registered; arguments: null if they were not given. The call registers none.
using TakeKnownKernel =
    std::function<void(DeviceKind kind, const std::string& name, Kernel kernel, const KernelArguments* arguments)>;
void for_each_kernel(const TakeKnownKernel& take);

}  // namespace trellis
