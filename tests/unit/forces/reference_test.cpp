// Direct summation against sums written out here.
#include <gtest/gtest.h>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis::reference_test {

using namespace fields;

TEST(Reference, of_gravity_is_newtons_sum) {
    const double softening = 0.1, g = 3;
    const ParticleSet particles = models::uniform_cube(50, 1);
    const auto force = gravity(softening, g);
    for (std::uint32_t row = 0; row < 50; ++row) {
        Vec3<double> a{0, 0, 0};
        double phi = 0;
        for (std::uint32_t j = 0; j < 50; ++j) {
            if (j == row) continue;
            const Vec3<double> d = particles[position][j] - particles[position][row];
            const double r = std::sqrt(dot(d, d) + softening * softening);
            phi -= g * particles[mass][j] / r;
            a += g * particles[mass][j] / (r * r * r) * d;
        }
        const Exact exact = exact_force(*force, particles, row);
        EXPECT_NEAR(exact.potential, phi, 1e-14 * std::abs(phi));
        EXPECT_LT(norm(exact.acceleration - a), 1e-13 * norm(a));
    }
}

TEST(Reference, of_a_particle_alone_is_zero) {
    const ParticleSet alone = models::uniform_cube(1, 1);
    const Exact exact = exact_force(*gravity(0, 1), alone, 0);
    EXPECT_EQ(exact.acceleration, (Vec3<double>{0, 0, 0}));
    EXPECT_EQ(exact.potential, 0);
}

}  // namespace trellis::reference_test
