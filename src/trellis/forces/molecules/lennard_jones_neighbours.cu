#include "trellis/forces/molecules/lennard_jones_neighbours.hpp"

#include "trellis/forces/molecules/lennard_jones.hpp"
#include "trellis/forces/molecules/lennard_jones_mixture.hpp"
#include "trellis/forces/short_range/kernels/neighbours.cuh"

namespace trellis {

void TRELLIS_GPU::register_lennard_jones_neighbours() {
    register_neighbours<LennardJones>();
    register_neighbours<LennardJonesMixture<Truncation::plain>>();
    register_neighbours<LennardJonesMixture<Truncation::energy_shifted>>();
    register_neighbours<LennardJonesMixture<Truncation::force_shifted>>();
    register_neighbours<LennardJonesMixture<Truncation::switched>>();
}

}  // namespace trellis
