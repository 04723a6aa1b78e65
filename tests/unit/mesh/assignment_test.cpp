#include "trellis/mesh/assignment.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "trellis/mesh/patch.hpp"
#include "unit/mesh/wave_sum.hpp"
#include "unit/with_threads.hpp"

namespace trellis::assignment_test {

constexpr Region box{{-1, 0, 2}, {1, 1, 3}};

// The weights of the spline are 1 together, and their centre is the particle.
TEST(Assignment, keeps_mass_and_centre_of_mass) {
    for (int order = 2; order <= 4; ++order)
        with_order(order, [](auto constant) {
            for (const double place : {-3.7, -0.5, 0.0, 0.2, 0.5, 7.999}) {
                const auto nodes = node_weights<constant(), double>(place);
                double sum = 0, centre = 0;
                for (std::size_t k = 0; k < nodes.weight.size(); ++k) {
                    EXPECT_GE(nodes.weight[k], -1e-16);
                    sum += nodes.weight[k];
                    centre += nodes.weight[k] * (nodes.first + static_cast<double>(k));
                }
                EXPECT_NEAR(sum, 1, 1e-14);
                EXPECT_NEAR(centre, place, 1e-14);
            }
        });
}

TEST(Assignment, transform_is_that_of_the_weights) {
    // Averaged over where the particle lies in its cell, weights times exp(i k (node - place)) are the transform.
    constexpr double phase = 1.3;
    with_order(3, [](auto constant) {
        double sum = 0;
        constexpr int samples = 20000;
        for (int n = 0; n < samples; ++n) {
            const double place = (n + 0.5) / samples;
            const auto nodes = node_weights<constant(), double>(place);
            for (std::size_t k = 0; k < nodes.weight.size(); ++k)
                sum += nodes.weight[k] * std::cos(phase * (nodes.first + static_cast<double>(k) - place)) / samples;
        }
        EXPECT_NEAR(sum, assignment_transform(3, phase), 1e-8);
    });
}

TEST(Assignment, puts_all_mass_onto_the_patch_around_the_particles) {
    const MeshGrid grid(box, {16, 12, 10});
    auto charges = wave_sum::scattered(box, 3000, 0.1, 1);
    for (Vec3<double>& place : charges.positions)
        place = place * 0.2 + Vec3<double>{0.9, 0.9, 2.9};  // beyond the faces
    for (int order = 2; order <= 4; ++order) {
        const NodeBox patch = nodes_around(grid, order, charges.positions);
        EXPECT_LT(patch.size(), 16UL * 12 * 10);
        const auto density = assign<double>(grid, order, patch, charges.positions, charges.strengths);
        EXPECT_NEAR(std::reduce(density.begin(), density.end()),
                    std::reduce(charges.strengths.begin(), charges.strengths.end()), 1e-9);
    }
}

TEST(Assignment, has_the_same_bits_for_any_number_of_threads) {
    const Region cube{{0, 0, 0}, {1, 1, 1}};
    for (const int cells : {9, 13, 32}) {
        const MeshGrid grid(cube, {cells, cells, cells});
        const auto charges = wave_sum::scattered(cube, 40000, -1, 1);
        const NodeBox patch = nodes_around(grid, 4, charges.positions);
        const auto assigned = [&] { return assign<float>(grid, 4, patch, charges.positions, charges.strengths); };
        const auto once = with_threads(1, assigned);
        for (const int threads : {2, 3, 8}) EXPECT_EQ(with_threads(threads, assigned), once);
    }
}

}  // namespace trellis::assignment_test
