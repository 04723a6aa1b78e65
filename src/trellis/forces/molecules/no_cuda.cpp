// Replaces lennard_jones_neighbours.cu in builds without CUDA.
#include "trellis/forces/molecules/lennard_jones_neighbours.hpp"

namespace trellis {

void register_lennard_jones_neighbours() {}

}  // namespace trellis
