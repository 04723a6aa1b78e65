// The interactions of Trellis among the particles of small systems, by the kernels that suit this machine.
#pragma once

#include "trellis/base/gpu.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"

namespace trellis {

enum class BuiltIn { no_pairs, gravity, lennard_jones };  // NoPairs, Gravity, LennardJones

// The kernels of an interaction; GPUs have them, too.
SystemKernels built_in_systems(BuiltIn interaction);

// Registers the kernels of all built-in interactions, and those of steps in stages, for servers.
void register_built_in_systems();
// Registers them for GPUs.
TRELLIS_DECLARE_FOR_GPUS(void register_systems_for_gpus())

}  // namespace trellis
