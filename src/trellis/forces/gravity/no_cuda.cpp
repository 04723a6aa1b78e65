// Stands in for gravity_pairs.cu where there is no CUDA.
#include "trellis/forces/gravity/gravity_pairs.hpp"

namespace trellis {

void register_gravity_pairs() {}

}  // namespace trellis
