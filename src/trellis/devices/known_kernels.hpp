// All kernels that are known: what a library hands over to the program that has loaded it.
#pragma once

#include <functional>
#include <string>

#include "trellis/devices/kernels.hpp"

namespace trellis {

// Calls back with each kernel that was registered. The call registers none.
void for_each_kernel(const std::function<void(DeviceKind kind, const std::string& name, Kernel kernel)>& take);

}  // namespace trellis
