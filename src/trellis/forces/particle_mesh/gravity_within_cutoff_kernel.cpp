#include "trellis/forces/particle_mesh/gravity_within_cutoff_kernel.hpp"
#include "trellis/forces/particle_mesh/gravity_within_cutoff.hpp"
#include "trellis/forces/short_range/kernels/make_neighbour_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

NeighbourKernels gaussian_gravity_kernels() { return make_neighbour_kernels<GravityWithinCutoff<GaussianLongRange>>(); }
NeighbourKernels s2_gravity_kernels() { return make_neighbour_kernels<GravityWithinCutoff<S2LongRange>>(); }

TRELLIS_ISA_END
}  // namespace trellis
