#include "trellis/ensembles/built_in.hpp"

#include "trellis/ensembles/built_in_kernel.hpp"
#include "trellis/ensembles/gpu/systems.cuh"
#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/molecules/lennard_jones.hpp"

namespace trellis {

void TRELLIS_GPU::register_systems_for_gpus() {
    register_systems<NoPairs>();
    register_systems<Gravity>();
    register_systems<LennardJones>();
}

}  // namespace trellis
