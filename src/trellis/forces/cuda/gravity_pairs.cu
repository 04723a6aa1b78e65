#include "trellis/forces/cuda/gravity_pairs.hpp"

#include "trellis/forces/cuda/pairs.cuh"
#include "trellis/forces/gravity.hpp"

namespace trellis {

void register_gravity_pairs() { register_pairs<Gravity>(); }

}  // namespace trellis
