#include "trellis/forces/molecules/mixture_kernel.hpp"

#include "trellis/forces/molecules/lennard_jones_mixture.hpp"
#include "trellis/forces/short_range/kernels/make_neighbour_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

NeighbourKernels mixture_kernels(Truncation truncation) {
    switch (truncation) {
        case Truncation::energy_shifted:
            return make_neighbour_kernels<LennardJonesMixture<Truncation::energy_shifted>>();
        case Truncation::force_shifted:
            return make_neighbour_kernels<LennardJonesMixture<Truncation::force_shifted>>();
        case Truncation::switched:
            return make_neighbour_kernels<LennardJonesMixture<Truncation::switched>>();
        case Truncation::plain:
            break;
    }
    return make_neighbour_kernels<LennardJonesMixture<Truncation::plain>>();
}

TRELLIS_ISA_END
}  // namespace trellis
