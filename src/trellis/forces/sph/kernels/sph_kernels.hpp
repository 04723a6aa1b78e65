// The interactions of smoothed particle hydrodynamics, compiled for each instruction set, smoothing kernel and number
// of dimensions.
#pragma once

#include <memory>
#include <optional>

#include "trellis/base/isa.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"
#include "trellis/forces/sph/kernels/smoothing_kernel.hpp"

namespace trellis {

struct CompiledPairs {
    NeighbourKernels kernels;
    std::shared_ptr<const void> interaction;
};

// Gravity between the particles of a gas, by another force.
struct SelfGravity {
    std::optional<double> softening;  // Plummer's; without it: that of each particle, its field `softening`
    double G = 1;                     // the gravitational constant
};

struct Conductivity;

struct SphKernels {
    SmoothingShape shape;
    CompiledPairs density, velocity_gradient, hydro, barotropic_hydro;
    CompiledPairs potential_slope, softening;  // in three dimensions alone
};

// dimensions: 1, 2 or 3; conductivity: see Hydro; gravity: see softening.hpp.
TRELLIS_DECLARE_VARIANTS(SphKernels cubic_spline_kernels(int dimensions, const Conductivity& conductivity,
                                                         const SelfGravity& gravity))
TRELLIS_DECLARE_VARIANTS(SphKernels wendland_c2_kernels(int dimensions, const Conductivity& conductivity,
                                                        const SelfGravity& gravity))
TRELLIS_DECLARE_VARIANTS(SphKernels wendland_c4_kernels(int dimensions, const Conductivity& conductivity,
                                                        const SelfGravity& gravity))

}  // namespace trellis
