#include "trellis/forces/molecules/lennard_jones_force.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "unit/error_message.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis::lennard_jones_force_test {

using namespace fields;

// Atoms of two masses about the cell of a lattice, in a periodic box.
ParticleSet fluid(std::size_t cells) {
    constexpr double spacing = 1.1;
    ParticleSet particles(cells * cells * cells);
    const double side = spacing * static_cast<double>(cells);
    particles.set_region({{0, 0, 0}, {side, side, side}});
    models::Random random(1);
    for (std::size_t row = 0; row < particles.size(); ++row) {
        const std::array cell{row % cells, row / cells % cells, row / cells / cells};
        for (std::size_t axis = 0; axis < 3; ++axis)
            particles[position][row][axis] = spacing * (static_cast<double>(cell[axis]) + random.uniform(0.4, 0.6));
        particles[mass][row] = row % 2 == 0 ? 1 : 2.5;
    }
    return particles;
}

class LennardJonesForce : public testing::TestWithParam<Truncation> {};
constexpr const char* names[] = {"plain", "energy_shifted", "force_shifted", "switched"};
INSTANTIATE_TEST_SUITE_P(truncations, LennardJonesForce,
                         testing::Values(Truncation::plain, Truncation::energy_shifted, Truncation::force_shifted,
                                         Truncation::switched),
                         [](const auto& each) { return names[static_cast<std::size_t>(each.param)]; });

TEST_P(LennardJonesForce, is_the_sum_over_pairs_and_images) {
    for (const Precision precision : {Precision::single_, Precision::double_}) {
        ParticleSet particles = fluid(9);
        const auto force = lennard_jones(1.3, 1.05, 2.6, GetParam(), {.precision = precision});
        compute(*force, particles);
        const double digits = precision == Precision::single_ ? 3e-6 : 1e-13;
        for (std::uint32_t row = 0; row < particles.size(); row += 7) {
            std::array<double, 5> exact;
            force->reference(particles, particles, row, row, 0, exact.data());
            const Vec3<double> a{exact[0], exact[1], exact[2]};
            EXPECT_LT(norm(particles[acceleration][row] - a), digits * (norm(a) + 100));
            EXPECT_NEAR(particles[potential][row], exact[3], digits * 20);
            EXPECT_NEAR(particles[virial][row], exact[4], digits * (std::abs(exact[4]) + 200));
        }
    }
}

TEST(LennardJonesForce, says_what_is_allowed) {
    EXPECT_EQ(message_of([] { lennard_jones(0, 1, 2.5); }), "epsilon is 0: allowed is above 0");
    EXPECT_EQ(message_of([] { lennard_jones(1, -1, 2.5); }), "sigma is -1: allowed is above 0");
    EXPECT_EQ(message_of([] { lennard_jones(1, 1, Region::infinity); }), "cutoff is inf: allowed is above 0");
    EXPECT_EQ(message_of([] { lennard_jones(1, 1, 2.5, Truncation::switched, {}, 1); }),
              "switch_ratio is 1: allowed is at least 0 and below 1");
}

}  // namespace trellis::lennard_jones_force_test
