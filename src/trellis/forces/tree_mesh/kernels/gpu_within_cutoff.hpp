// The kernels of GravityWithinCutoff, BetweenSofteningsWithinCutoff and CoulombWithinCutoff for GPUs: pairs, and far
// fields by expansions.
#pragma once

#include "trellis/base/gpu.hpp"

namespace trellis {

// Register the kernels, and the kernels that they need. A source each, which a driver builds as a whole.
TRELLIS_DECLARE_FOR_GPUS(void register_gravity_within_cutoff())
TRELLIS_DECLARE_FOR_GPUS(void register_between_softenings_within_cutoff())
TRELLIS_DECLARE_FOR_GPUS(void register_coulomb_within_cutoff())

}  // namespace trellis
