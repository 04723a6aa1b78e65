// Stands in for lennard_jones_neighbours.cu where there is no CUDA.
#include "trellis/forces/molecules/lennard_jones_neighbours.hpp"

namespace trellis {

void register_lennard_jones_neighbours() {}

}  // namespace trellis
