// The kernels of smoothed particle hydrodynamics, for GPUs.
#pragma once

namespace trellis {

// Registers the kernels, for all smoothing kernels and dimensions. Does nothing without CUDA.
void register_sph_neighbours();

}  // namespace trellis
