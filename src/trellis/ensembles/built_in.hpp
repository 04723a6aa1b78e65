// The interactions of Trellis among the particles of small systems, by the kernels that suit this machine.
#pragma once

#include "trellis/ensembles/kernels/system_kernels.hpp"

namespace trellis {

enum class BuiltIn { no_pairs, gravity, lennard_jones };  // NoPairs, Gravity, LennardJones

// Their kernel is known to GPUs, too, in a build with CUDA.
SystemKernels built_in_systems(BuiltIn interaction);

// Makes the kernels of all of them known here: for servers.
void register_built_in_systems();
// In a build with CUDA, to GPUs.
void register_built_in_systems_for_cuda();

}  // namespace trellis
