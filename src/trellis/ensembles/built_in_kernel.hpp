// The interactions of Trellis among the particles of small systems.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/base/vec.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/forces/interaction.hpp"

namespace trellis {

// Particles that exert no forces on each other.
struct NoPairs {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration, Potential>;

    TRELLIS_HOST_DEVICE void operator()(const auto&, const auto&, auto&) const {}
};

TRELLIS_DECLARE_VARIANTS(SystemKernels systems_without_pairs())
TRELLIS_DECLARE_VARIANTS(SystemKernels systems_of_gravity())        // Gravity
TRELLIS_DECLARE_VARIANTS(SystemKernels systems_of_lennard_jones())  // LennardJones

}  // namespace trellis
