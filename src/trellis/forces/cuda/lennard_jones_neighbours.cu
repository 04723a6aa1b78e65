#include "trellis/forces/cuda/lennard_jones_neighbours.hpp"

#include "trellis/forces/cuda/neighbours.cuh"
#include "trellis/forces/lennard_jones.hpp"

namespace trellis {

void register_lennard_jones_neighbours() { register_neighbours<LennardJones>(); }

}  // namespace trellis
