// Particles in a periodic cube, the same for the same number.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "shared/models.hpp"
#include "trellis/particles/particle_set.hpp"

namespace bench {

// Particles of mass 1 together in the unit cube: at random, three quarters of them in clumps, or a grid displaced by
// waves and a little at random, as at a high redshift.
inline trellis::ParticleSet in_cube(const std::string& name, std::size_t along) {
    using namespace trellis::fields;
    trellis::ParticleSet particles(along * along * along);
    particles.set_region({{0, 0, 0}, {1, 1, 1}});
    Random random;
    const auto in_unit = [&] { return Vec3<double>{random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1)}; };
    std::vector<Vec3<double>> clumps(along);
    for (auto& clump : clumps) clump = in_unit();
    const double spacing = 1 / static_cast<double>(along);
    for (std::size_t k = 0; k < particles.size(); ++k) {
        Vec3<double> at = in_unit();
        if (name == "clustered" && k % 4 != 0)
            at =
                clumps[k % along] + 0.01 * std::pow(random.uniform(0.01, 1), -0.7) * (at - Vec3<double>{0.5, 0.5, 0.5});
        if (name == "grid") {
            const Vec3<double> node{static_cast<double>(k % along), static_cast<double>(k / along % along),
                                    static_cast<double>(k / along / along)};
            const Vec3<double> shift = at - Vec3<double>{0.5, 0.5, 0.5};
            at = spacing * (node + Vec3<double>{0.5, 0.5, 0.5} + 0.1 * shift);
            for (std::size_t axis = 0; axis < 3; ++axis)
                at[axis] += 0.15 * spacing * std::sin(2 * std::numbers::pi * (at[axis] + 2 * at[(axis + 1) % 3]));
        }
        particles[position][k] = at;
        particles[mass][k] = 1 / static_cast<double>(particles.size());
    }
    particles.wrap_positions();
    return particles;
}

}  // namespace bench
