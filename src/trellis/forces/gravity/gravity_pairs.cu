#include "trellis/forces/gravity/gravity_pairs.hpp"

#include "trellis/forces/gravity/gravity_between_softenings.hpp"
#include "trellis/forces/tree/device/pairs.cuh"

namespace trellis {

void TRELLIS_GPU::register_gravity_pairs() {
    register_pairs<Gravity>();
    register_pairs<GravityBetweenSoftenings>();
}

}  // namespace trellis
