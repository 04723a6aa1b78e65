// The kernels of LennardJones, for GPUs.
#pragma once

namespace trellis {

// Registers the kernels. Does nothing without CUDA.
void register_lennard_jones_neighbours();

}  // namespace trellis
