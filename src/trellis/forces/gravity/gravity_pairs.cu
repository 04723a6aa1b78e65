#include "trellis/forces/gravity/gravity_pairs.hpp"

#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/tree/device/pairs.cuh"

namespace trellis {

void register_gravity_pairs() { register_pairs<Gravity>(); }

}  // namespace trellis
