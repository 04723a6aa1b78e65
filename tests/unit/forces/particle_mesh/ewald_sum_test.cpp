#include "trellis/forces/particle_mesh/ewald_sum.hpp"

#include <gtest/gtest.h>

namespace trellis::ewald_sum_test {

const Region cube{{0, 0, 0}, {2, 2, 2}};

// Madelung's constant of sodium chloride, ions one apart.
TEST(EwaldSum, has_the_energy_of_sodium_chloride) {
    const EwaldSum lattice(cube);
    double energy = 0;
    for (const double x : {0.0, 1.0})
        for (const double y : {0.0, 1.0})
            for (const double z : {0.0, 1.0})
                energy += (static_cast<int>(x + y + z) % 2 == 0 ? 1 : -1) * lattice({x, y, z}, 0)[0];
    EXPECT_NEAR(energy, -1.7475645946332, 2e-11);
}

TEST(EwaldSum, has_the_energy_of_a_cubic_lattice) {
    EXPECT_NEAR(EwaldSum({{0, 0, 0}, {1, 1, 1}})({0, 0, 0}, 0)[0], -2.8372974794806, 2e-11);
}

// A box is as good as two, and the split between real and reciprocal space is another.
TEST(EwaldSum, knows_boxes_that_are_not_cubes) {
    const EwaldSum one(cube), two({{0, 0, 0}, {2, 2, 4}});
    const Vec3<double> d{0.3, -0.4, 0.9};
    const auto whole = one(d, 0), near = two(d, 0), far = two(d + Vec3<double>{0, 0, 2}, 0);
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(whole[c], near[c] + far[c], 2e-11);
}

TEST(EwaldSum, gradient_is_that_of_the_potential) {
    const EwaldSum lattice(cube);
    const Vec3<double> d{0.3, -0.4, 0.1};
    for (const double epsilon2 : {0.0, 0.02})
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Vec3<double> h{0, 0, 0};
            h[axis] = 1e-4;
            const double slope = (lattice(d + h, epsilon2)[0] - lattice(d - h, epsilon2)[0]) / 2e-4;
            EXPECT_NEAR(lattice(d, epsilon2)[axis + 1], slope, 3e-6);
        }
}

}  // namespace trellis::ewald_sum_test
