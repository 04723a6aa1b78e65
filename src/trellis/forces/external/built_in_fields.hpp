// All fields that Trellis has.
#pragma once

#include "trellis/forces/external/flattened.hpp"
#include "trellis/forces/external/rotating_bar.hpp"
#include "trellis/forces/external/spheres.hpp"
#include "trellis/forces/external/uniform.hpp"

namespace trellis {

// Makes the kernels of these fields known to GPUs. Without CUDA: does nothing.
void register_built_in_fields();

}  // namespace trellis
