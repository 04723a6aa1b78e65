#include "trellis/ensembles/built_in_kernel.hpp"

#include "trellis/ensembles/kernels/make_system_kernels.hpp"
#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/molecules/lennard_jones.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

SystemKernels systems_without_pairs() { return make_system_kernels<NoPairs>(); }
SystemKernels systems_of_gravity() { return make_system_kernels<Gravity>(); }
SystemKernels systems_of_lennard_jones() { return make_system_kernels<LennardJones>(); }

TRELLIS_ISA_END
}  // namespace trellis
