#include "trellis/forces/sph/kernels/sph_neighbours.hpp"

#include "trellis/forces/short_range/kernels/neighbours.cuh"
#include "trellis/forces/sph/kernels/density.hpp"
#include "trellis/forces/sph/kernels/hydro.hpp"
#include "trellis/forces/sph/kernels/softening.hpp"
#include "trellis/forces/sph/kernels/velocity_gradient.hpp"

namespace trellis {

TRELLIS_GPU_BEGIN
namespace {

template <class... Kernels>
void register_smoothed_by() {
    (register_neighbours_unmasked<DensitySum<Kernels>>(), ...);
    (register_neighbours_unmasked<VelocityGradient<Kernels>>(), ...);
    (register_neighbours_unmasked<Hydro<Kernels>>(), ...);
    (register_neighbours_unmasked<BarotropicHydro<Kernels>>(), ...);
}

template <class Kernel, class Points>
void register_softened_by() {
    register_neighbours_unmasked<PotentialSlopeSum<Kernel, Points>>();
    register_neighbours_unmasked<Softening<Kernel, Points>>();
}

template <template <int> class Kernel>
void register_in_all_dimensions() {
    register_smoothed_by<Kernel<1>, Kernel<2>, Kernel<3>>();
    register_softened_by<Kernel<3>, OneSoftening>();
    register_softened_by<Kernel<3>, SofteningOfEachPoint>();
}

}  // namespace
TRELLIS_GPU_END

void TRELLIS_GPU::register_sph_neighbours() {
    register_in_all_dimensions<CubicSpline>();
    register_in_all_dimensions<WendlandC2>();
    register_in_all_dimensions<WendlandC4>();
}

}  // namespace trellis
