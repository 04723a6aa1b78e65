// The pair kernels of Gravity and of GravityBetweenSoftenings, for GPUs.
#pragma once

namespace trellis {

// Makes the kernels, and those that they need, known. Without CUDA: does nothing.
void register_gravity_pairs();

}  // namespace trellis
