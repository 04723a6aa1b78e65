// Replaces sph_neighbours.cu in builds without CUDA.
#include "trellis/forces/sph/kernels/sph_neighbours.hpp"

namespace trellis {

void register_sph_neighbours() {}

}  // namespace trellis
