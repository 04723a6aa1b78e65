#include "trellis/ensembles/built_in_kernel.hpp"

#include "trellis/ensembles/topology/with_topology.hpp"
#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/molecules/lennard_jones.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// No pair acts at any distance: boxes may have any sides.
SystemKernels systems_without_pairs() {
    SystemKernels kernels = with_topology<NoPairs>(make_system_kernels<NoPairs>());
    kernels.cutoff = [](const void*) { return 0.0; };
    return kernels;
}
SystemKernels systems_of_gravity() { return with_topology<Gravity>(make_system_kernels<Gravity>()); }
SystemKernels systems_of_lennard_jones() { return with_topology<LennardJones>(make_system_kernels<LennardJones>()); }

TRELLIS_ISA_END
}  // namespace trellis
