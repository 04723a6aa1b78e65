// All built-in fields.
#pragma once

#include "trellis/base/gpu.hpp"
#include "trellis/forces/external/flattened.hpp"
#include "trellis/forces/external/rotating_bar.hpp"
#include "trellis/forces/external/spheres.hpp"
#include "trellis/forces/external/uniform.hpp"

namespace trellis {

// Registers the kernels of these fields for GPUs.
TRELLIS_DECLARE_FOR_GPUS(void register_built_in_fields())

}  // namespace trellis
