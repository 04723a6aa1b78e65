// The kernels of a far graph on a GPU as text (devices/kernel_text.hpp).
#pragma once

#include <string>

#include "trellis/forces/run_time/far_field/far_graph.hpp"

namespace trellis {

// The kernel "locals" or "far_field".
std::string far_text(const FarGraph& far);

}  // namespace trellis
