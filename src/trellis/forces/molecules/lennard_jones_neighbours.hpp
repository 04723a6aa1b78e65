// The kernels of LennardJones and LennardJonesMixture, for GPUs.
#pragma once

namespace trellis {

// Registers the kernels. Does nothing without CUDA.
void register_lennard_jones_neighbours();

}  // namespace trellis
