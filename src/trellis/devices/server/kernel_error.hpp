// The failure of a device that lacks a kernel.
#pragma once

#include <string>

namespace trellis {

// "has no kernel ...", with the interaction by its name in the source, and what to give to `trellis serve`.
std::string missing_kernel(const std::string& kernel);

}  // namespace trellis
