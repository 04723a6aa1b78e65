#include "trellis/ensembles/built_in.hpp"

#include "trellis/ensembles/built_in_kernel.hpp"
#include "trellis/ensembles/gpu/systems.cuh"
#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/molecules/lennard_jones.hpp"

namespace trellis {

void register_built_in_systems_for_cuda() {
    register_systems<NoPairs>();
    register_systems<Gravity>();
    register_systems<LennardJones>();
}

}  // namespace trellis
