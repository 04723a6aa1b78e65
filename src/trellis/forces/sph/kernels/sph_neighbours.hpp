// The kernels of smoothed particle hydrodynamics, for GPUs.
#pragma once

namespace trellis {

// Makes the kernels known, for all smoothing kernels and dimensions. Without CUDA: does nothing.
void register_sph_neighbours();

}  // namespace trellis
