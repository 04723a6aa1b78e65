#include "trellis/forces/gravity/gravity_between_softenings.hpp"
#include "trellis/forces/gravity/gravity_pairs.hpp"
#include "trellis/forces/tree/device/far_field.cuh"

namespace trellis {

void TRELLIS_GPU::register_gravity_far_field() {
    register_far_field<Gravity>();
    register_far_field<GravityBetweenSoftenings>();
}

}  // namespace trellis
