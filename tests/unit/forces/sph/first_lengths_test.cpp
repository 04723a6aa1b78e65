#include "trellis/forces/sph/first_lengths.hpp"

#include <gtest/gtest.h>

#include "unit/forces/sph/gas.hpp"

namespace trellis::first_lengths_test {

using namespace fields;

void guess(ParticleSet& gas, int dimensions, double neighbours) {
    Phases phases;
    guess_lengths(gas, dimensions, neighbours, phases);
}

TEST(FirstLengths, of_a_lattice_are_about_right) {
    ParticleSet line = lattice<1>(100), square = lattice<2>(32), cube = lattice<3>(10);
    guess(line, 1, 8);
    guess(square, 2, 30);
    guess(cube, 3, 60);
    for (const double h : line[smoothing_length]) EXPECT_NEAR(h, 0.04, 1e-3);
    for (const double h : square[smoothing_length]) EXPECT_NEAR(h, std::sqrt(30 / unit_ball(2)) / 32, 1e-3);
    for (const double h : cube[smoothing_length]) EXPECT_NEAR(h, std::cbrt(60 / unit_ball(3)) / 10, 1e-3);
}

TEST(FirstLengths, follow_the_density) {
    ParticleSet gas = random_gas<3>(2000, 1);
    for (std::size_t row = 0; row < 1000; ++row) gas[position][row] = 0.01 * gas[position][row];
    guess(gas, 3, 50);
    for (std::size_t row = 0; row < 1000; ++row) EXPECT_LT(gas[smoothing_length][row], 0.01);
}

TEST(FirstLengths, are_left_where_there_are_some) {
    ParticleSet gas = lattice<3>(4);
    gas[smoothing_length][5] = 17;
    guess(gas, 3, 60);
    EXPECT_EQ(gas[smoothing_length][5], 17);
    EXPECT_GT(gas[smoothing_length][6], 0);
}

TEST(FirstLengths, are_above_0_wherever_particles_are) {
    ParticleSet one(1), at_one_point(100), empty(0);
    for (ParticleSet* gas : {&one, &at_one_point, &empty}) {
        gas->add(smoothing_length);
        guess(*gas, 3, 60);
        for (const double h : (*gas)[smoothing_length]) EXPECT_GT(h, 0);
    }
}

}  // namespace trellis::first_lengths_test
