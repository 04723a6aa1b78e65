#include "trellis/integrate/leapfrog.hpp"

#include <gtest/gtest.h>

#include "unit/particle_models.hpp"

namespace trellis::leapfrog_test {

using namespace fields;

TEST(Leapfrog, kick_changes_velocities_alone) {
    ParticleSet particles = models::uniform_cube(3000, 1);
    const std::vector<Vec3<double>> before(particles[position].begin(), particles[position].end());
    for (std::size_t row = 0; row < 3000; ++row) {
        particles[velocity][row] = {1, 2, 3};
        particles[acceleration][row] = {10, static_cast<double>(row), -10};
    }
    kick(particles, 0.5);
    for (std::size_t row = 0; row < 3000; ++row)
        EXPECT_EQ(particles[velocity][row], (Vec3<double>{6, 2 + 0.5 * static_cast<double>(row), -2}));
    EXPECT_TRUE(std::ranges::equal(particles[position], before));
}

TEST(Leapfrog, kick_changes_any_column_by_its_rate) {
    struct Heat : Field<double, "heat", "", ""> {};
    struct Heating : Field<double, "heating", "", ""> {};
    struct Spin : Field<Vec3<double>, "spin", "", ""> {};
    ParticleSet particles(3000);
    const auto heat = particles.add(Heat{}), heating = particles.add(Heating{});
    const auto spin = particles.add(Spin{});
    for (std::size_t row = 0; row < 3000; ++row) {
        heat[row] = 1;
        heating[row] = static_cast<double>(row);
        spin[row] = {0, 0, 1};
        particles[acceleration][row] = {1, 2, static_cast<double>(row)};
    }
    kick(particles, "heat", "heating", 0.25);
    kick(particles, "spin", "acceleration", 0.5);
    for (std::size_t row = 0; row < 3000; ++row) {
        EXPECT_EQ(heat[row], 1 + 0.25 * static_cast<double>(row));
        EXPECT_EQ(heating[row], row);
        EXPECT_EQ(spin[row], (Vec3<double>{0.5, 1, 1 + 0.5 * static_cast<double>(row)}));
        EXPECT_EQ(particles[velocity][row], (Vec3<double>{0, 0, 0}));
    }
}

TEST(Leapfrog, particles_drift_with_velocities_that_are_kicked) {
    ParticleSet particles(3000);
    for (std::size_t row = 0; row < 3000; ++row) {
        particles[position][row] = {1, 1, 1};
        particles[velocity][row] = {4, -8, static_cast<double>(row)};
        particles[acceleration][row] = {0, 16, -2};
    }
    kick_and_drift(particles, 0.5, 0.25);
    for (std::size_t row = 0; row < 3000; ++row) {
        EXPECT_EQ(particles[velocity][row], (Vec3<double>{4, 0, static_cast<double>(row) - 1}));
        EXPECT_EQ(particles[position][row], (Vec3<double>{2, 1, 1 + 0.25 * (static_cast<double>(row) - 1)}));
        EXPECT_EQ(particles[acceleration][row], (Vec3<double>{0, 16, -2}));
    }
}

TEST(Leapfrog, of_no_particles_is_nothing) {
    ParticleSet empty(0);
    kick(empty, 1);
    kick_and_drift(empty, 1, 1);
    EXPECT_EQ(empty.size(), 0U);
    EXPECT_TRUE(empty[position].empty());
}

}  // namespace trellis::leapfrog_test
