// Stands in for sph_neighbours.cu where there is no CUDA.
#include "trellis/forces/sph/kernels/sph_neighbours.hpp"

namespace trellis {

void register_sph_neighbours() {}

}  // namespace trellis
