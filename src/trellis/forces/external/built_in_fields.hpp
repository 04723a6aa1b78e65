// All built-in fields.
#pragma once

#include "trellis/forces/external/flattened.hpp"
#include "trellis/forces/external/rotating_bar.hpp"
#include "trellis/forces/external/spheres.hpp"
#include "trellis/forces/external/uniform.hpp"

namespace trellis {

// Registers the kernels of these fields for GPUs. Does nothing without CUDA.
void register_built_in_fields();

}  // namespace trellis
