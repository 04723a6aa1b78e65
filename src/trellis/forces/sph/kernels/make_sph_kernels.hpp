// Compiles the interactions of smoothed particle hydrodynamics for one smoothing kernel. For kernel sources only.
#pragma once

#include "trellis/forces/short_range/kernels/make_neighbour_kernels.hpp"
#include "trellis/forces/sph/kernels/density.hpp"
#include "trellis/forces/sph/kernels/hydro.hpp"
#include "trellis/forces/sph/kernels/softening.hpp"
#include "trellis/forces/sph/kernels/sph_kernels.hpp"
#include "trellis/forces/sph/kernels/velocity_gradient.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I>
CompiledPairs compiled_pairs(const I& interaction) {
    return {make_neighbour_kernels<I>(), std::make_shared<const I>(interaction)};
}

template <class Kernel>
SphKernels sph_kernels_of(const Conductivity& conductivity) {
    return {shape_of<Kernel>(),
            compiled_pairs(DensitySum<Kernel>()),
            compiled_pairs(VelocityGradient<Kernel>()),
            compiled_pairs(Hydro<Kernel>{conductivity}),
            compiled_pairs(BarotropicHydro<Kernel>()),
            {},
            {}};
}

// Adds the interactions of adaptive softening.
template <class Kernel, class Points>
void soften(SphKernels& kernels, const Points& points, double G) {
    kernels.potential_slope = compiled_pairs(PotentialSlopeSum<Kernel, Points>{points});
    kernels.softening = compiled_pairs(Softening<Kernel, Points>{points, G});
}

template <template <int> class Kernel>
SphKernels make_sph_kernels(int dimensions, const Conductivity& conductivity, const SelfGravity& gravity) {
    if (dimensions == 1) return sph_kernels_of<Kernel<1>>(conductivity);
    if (dimensions == 2) return sph_kernels_of<Kernel<2>>(conductivity);
    SphKernels kernels = sph_kernels_of<Kernel<3>>(conductivity);
    if (gravity.softening)
        soften<Kernel<3>>(kernels, OneSoftening{{*gravity.softening * *gravity.softening}}, gravity.G);
    else
        soften<Kernel<3>>(kernels, SofteningOfEachPoint(), gravity.G);
    return kernels;
}

TRELLIS_ISA_END
}  // namespace trellis
