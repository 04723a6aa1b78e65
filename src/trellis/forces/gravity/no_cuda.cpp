// Replaces gravity_pairs.cu in builds without CUDA.
#include "trellis/forces/gravity/gravity_pairs.hpp"

namespace trellis {

void register_gravity_pairs() {}

}  // namespace trellis
