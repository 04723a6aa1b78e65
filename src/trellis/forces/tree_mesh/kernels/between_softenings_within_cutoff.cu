#include "trellis/forces/tree/device/far_field.cuh"
#include "trellis/forces/tree/device/pairs.cuh"
#include "trellis/forces/tree_mesh/kernels/between_softenings_within_cutoff.hpp"
#include "trellis/forces/tree_mesh/kernels/gpu_within_cutoff.hpp"

namespace trellis {

void TRELLIS_GPU::register_between_softenings_within_cutoff() {
    register_pairs<BetweenSofteningsWithinCutoff>();
    register_far_field<BetweenSofteningsWithinCutoff>();
}

}  // namespace trellis
