#include "trellis/forces/gravity/tides_pairs.hpp"

#include "trellis/forces/gravity/tides.hpp"
#include "trellis/forces/tree/device/pairs.cuh"

namespace trellis {

void TRELLIS_GPU::register_tides_pairs() {
    register_pairs<Tides>();
    register_pairs<TidesBetweenSoftenings>();
}

}  // namespace trellis
