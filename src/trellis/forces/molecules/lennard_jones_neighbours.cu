#include "trellis/forces/molecules/lennard_jones_neighbours.hpp"

#include "trellis/forces/molecules/lennard_jones.hpp"
#include "trellis/forces/short_range/kernels/neighbours.cuh"

namespace trellis {

void register_lennard_jones_neighbours() { register_neighbours<LennardJones>(); }

}  // namespace trellis
