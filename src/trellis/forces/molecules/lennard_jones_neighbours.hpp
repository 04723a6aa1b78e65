// The kernels of LennardJones, for GPUs.
#pragma once

namespace trellis {

// Makes the kernels known. Without CUDA: does nothing.
void register_lennard_jones_neighbours();

}  // namespace trellis
