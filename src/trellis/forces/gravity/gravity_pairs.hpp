// The pair kernels of Gravity and of GravityBetweenSoftenings, for GPUs.
#pragma once

namespace trellis {

// Registers the kernels, and the kernels that they need. Does nothing without CUDA.
void register_gravity_pairs();

}  // namespace trellis
