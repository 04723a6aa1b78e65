#include "trellis/run/measures/diagnostics.hpp"

#include <gtest/gtest.h>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::diagnostics_test {

using namespace fields;

TEST(Diagnostics, of_two_particles) {
    ParticleSet particles(2);
    particles[mass][0] = 2;
    particles[mass][1] = 4;
    particles[position][0] = {1, 0, 0};
    particles[position][1] = {0, -3, 0};
    particles[velocity][0] = {0, 3, 0};
    particles[velocity][1] = {0, 0, -1};
    particles[potential][0] = -4;
    particles[potential][1] = -2;
    EXPECT_EQ(kinetic_energy(particles), 0.5 * 2 * 9 + 0.5 * 4 * 1);
    EXPECT_EQ(potential_energy(particles), 0.5 * (2 * -4.0 + 4 * -2.0));
    EXPECT_EQ(momentum(particles), (Vec3<double>{0, 6, -4}));
    EXPECT_EQ(angular_momentum(particles), (Vec3<double>{12, 0, 6}));
    EXPECT_EQ(centre_of_mass(particles), (Vec3<double>{2 / 6.0, -12 / 6.0, 0}));
}

TEST(Diagnostics, know_of_internal_energy_where_particles_have_it) {
    ParticleSet particles(2);
    particles[mass][0] = 2;
    particles[mass][1] = 4;
    EXPECT_EQ(total_internal_energy(particles), 0);
    double* internal = particles.add({"internal_energy", "", ""}).values();
    internal[0] = 3;
    internal[1] = 0.5;
    EXPECT_EQ(total_internal_energy(particles), 8);
    run_ranks(3, [&](Comm& comm) { EXPECT_EQ(total_internal_energy(comm, particles), 24); });
}

TEST(Diagnostics, of_nothing_are_zero) {
    const ParticleSet none(0);
    EXPECT_EQ(kinetic_energy(none), 0);
    EXPECT_EQ(momentum(none), (Vec3<double>{0, 0, 0}));
    EXPECT_EQ(centre_of_mass(none), (Vec3<double>{0, 0, 0}));
    EXPECT_EQ(centre_of_mass(ParticleSet(3)), (Vec3<double>{0, 0, 0}));
}

TEST(Diagnostics, have_the_same_bits_for_any_number_of_threads) {
    ParticleSet particles = models::plummer(50'000, 1);
    for (std::size_t row = 0; row < particles.size(); ++row) particles[velocity][row] = particles[position][row];
    const auto all = [&](int threads) {
        return with_threads(threads, [&] {
            return std::tuple{kinetic_energy(particles), momentum(particles), angular_momentum(particles),
                              centre_of_mass(particles)};
        });
    };
    EXPECT_EQ(all(2), all(1));
    EXPECT_EQ(all(3), all(1));
}

// Particle k is on rank k % 3; the last of four ranks has none.
TEST(Diagnostics, of_all_ranks_are_those_of_all_particles) {
    ParticleSet all = models::plummer(1000, 1);
    for (std::size_t row = 0; row < all.size(); ++row) {
        all[mass][row] = 1 + static_cast<double>(row % 7);
        all[velocity][row] = all[position][row] + Vec3<double>{1, 2, 3};
        all[potential][row] = -1 - static_cast<double>(row % 5);
    }
    run_ranks(4, [&](Comm& comm) {
        const auto rank = static_cast<std::size_t>(comm.rank());
        ParticleSet own(rank < 3 ? (all.size() + 2 - rank) / 3 : 0);
        for (std::size_t row = 0; row < own.size(); ++row) {
            own[mass][row] = all[mass][3 * row + rank];
            own[position][row] = all[position][3 * row + rank];
            own[velocity][row] = all[velocity][3 * row + rank];
            own[potential][row] = all[potential][3 * row + rank];
        }
        const auto near = [](const Vec3<double>& a, const Vec3<double>& b) {
            return dot(a - b, a - b) < 1e-20 * dot(b, b);
        };
        EXPECT_NEAR(kinetic_energy(comm, own), kinetic_energy(all), 1e-10 * kinetic_energy(all));
        EXPECT_NEAR(potential_energy(comm, own), potential_energy(all), -1e-10 * potential_energy(all));
        EXPECT_TRUE(near(momentum(comm, own), momentum(all)));
        EXPECT_TRUE(near(angular_momentum(comm, own), angular_momentum(all)));
        EXPECT_TRUE(near(centre_of_mass(comm, own), centre_of_mass(all)));
    });
}

TEST(Diagnostics, of_ranks_without_particles_are_zero) {
    run_ranks(2, [](Comm& comm) {
        EXPECT_EQ(kinetic_energy(comm, ParticleSet(0)), 0);
        EXPECT_EQ(centre_of_mass(comm, ParticleSet(0)), (Vec3<double>{0, 0, 0}));
    });
}

}  // namespace trellis::diagnostics_test
