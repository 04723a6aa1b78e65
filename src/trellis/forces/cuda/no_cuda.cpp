// Stands in for the kernels where there is no CUDA.
#include "trellis/forces/cuda/expand_lists.hpp"
#include "trellis/forces/cuda/gravity_pairs.hpp"
#include "trellis/forces/cuda/lennard_jones_neighbours.hpp"
#include "trellis/forces/cuda/sph_neighbours.hpp"

namespace trellis {

void register_expand_lists() {}
void register_gravity_pairs() {}
void register_lennard_jones_neighbours() {}
void register_sph_neighbours() {}

}  // namespace trellis
