// Kernels over the sets of particles that systems are, which are made of graphs: by name.
#pragma once

#include <string>

#include "trellis/devices/kernel_text.hpp"

namespace trellis {

// Registers a kernel, and returns its name, which begins with `over` and which no other graph has.
std::string register_set_kernel(const std::string& over, const GraphKernel& kernel);

}  // namespace trellis
