#include "trellis/forces/molecules/lennard_jones_kernel.hpp"

#include "trellis/forces/molecules/lennard_jones.hpp"
#include "trellis/forces/short_range/kernels/make_neighbour_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

NeighbourKernels lennard_jones_kernels() { return make_neighbour_kernels<LennardJones>(); }

TRELLIS_ISA_END
}  // namespace trellis
