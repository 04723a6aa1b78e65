// The force of a container's wall on the particles of a system. For kernel sources only.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "trellis/base/isa.hpp"
#include "trellis/base/vec.hpp"
#include "trellis/ensembles/kernels/system.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Adds the accelerations by the wall, and returns its energy. The wall is centred on the centre of mass, so each
// particle takes its share, by mass, of the reaction on the centre.
template <class Columns>
TRELLIS_HOST_DEVICE double add_container_force(const Columns& columns, const System& system) {
    using namespace system_columns;
    using Four = std::array<double, 4>;
    const double* m = columns[mass];
    const Four moment = columns.template sums<4>([&](std::size_t k) -> Four {
        const Vec3<double> x = columns.particle(position, k);
        return {m[k] * x.x, m[k] * x.y, m[k] * x.z, m[k]};
    });
    const double total = moment[3];
    const Vec3<double> centre = Vec3<double>{moment[0], moment[1], moment[2]} / total;
    const auto add = [&](std::size_t k, const Vec3<double>& more) {
        columns.set(acceleration, k, columns.particle(acceleration, k) + more);
    };
    const Four wall = columns.template sums<4>([&](std::size_t k) -> Four {  // the force on the centre, the energy
        const Vec3<double> d = columns.particle(position, k) - centre;
        const double r = std::sqrt(dot(d, d)), beyond = r - system.container.radius;
        if (!(beyond > 0)) return {};
        const Vec3<double> force = (-system.container.stiffness * beyond / r) * d;
        add(k, force / m[k]);
        return {-force.x, -force.y, -force.z, 0.5 * system.container.stiffness * beyond * beyond};
    });
    const Vec3<double> of_centre = Vec3<double>{wall[0], wall[1], wall[2]} / total;
    if (wall[3] > 0) columns.each_particle([&](std::size_t k) { add(k, of_centre); });
    return wall[3];
}

TRELLIS_ISA_END
}  // namespace trellis
