// The force of a container's wall on the particles of a system. For kernel sources only.
#pragma once

#include <cmath>

#include "trellis/ensembles/kernels/system_columns.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Adds it to the accelerations, and returns the energy of the wall. The centre is that of mass, so each particle takes
// its share, by mass, of the force on the centre.
inline double add_container_force(const SystemColumns& columns, const System& system) {
    using namespace system_columns;
    const double* m = columns[mass];
    Vec3<double> centre{0, 0, 0}, on_centre{0, 0, 0};
    double total = 0, energy = 0;
    for (std::size_t k = 0; k < system.count; ++k) {
        centre += m[k] * columns.vector(position, k);
        total += m[k];
    }
    centre /= total;
    const auto add = [&](std::size_t k, const Vec3<double>& more) {
        columns.set(acceleration, k, columns.vector(acceleration, k) + more);
    };
    for (std::size_t k = 0; k < system.count; ++k) {
        const Vec3<double> d = columns.vector(position, k) - centre;
        const double r = std::sqrt(dot(d, d)), beyond = r - system.container.radius;
        if (!(beyond > 0)) continue;
        const Vec3<double> force = (-system.container.stiffness * beyond / r) * d;
        energy += 0.5 * system.container.stiffness * beyond * beyond;
        on_centre -= force;
        add(k, force / m[k]);
    }
    if (energy > 0)
        for (std::size_t k = 0; k < system.count; ++k) add(k, on_centre / total);
    return energy;
}

TRELLIS_ISA_END
}  // namespace trellis
