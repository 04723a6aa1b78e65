// The interactions of Trellis among the particles of small systems, by the kernels that suit this machine.
#pragma once

#include "trellis/ensembles/kernels/system_kernels.hpp"

namespace trellis {

enum class BuiltIn { no_pairs, gravity, lennard_jones };  // NoPairs, Gravity, LennardJones

SystemKernels built_in_systems(BuiltIn interaction);

// Makes the kernels of all of them known here: for servers.
void register_built_in_systems();

}  // namespace trellis
