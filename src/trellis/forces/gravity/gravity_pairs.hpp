// The kernels of Gravity and of GravityBetweenSoftenings, for GPUs: pairs, and far fields by expansions.
#pragma once

#include "trellis/base/gpu.hpp"

namespace trellis {

// Register the kernels, and the kernels that they need.
TRELLIS_DECLARE_FOR_GPUS(void register_gravity_pairs())
TRELLIS_DECLARE_FOR_GPUS(void register_gravity_far_field())

}  // namespace trellis
