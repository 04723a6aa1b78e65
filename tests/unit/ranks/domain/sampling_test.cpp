#include "trellis/ranks/domain/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "trellis/tree/morton.hpp"
#include "unit/ranks/domain/sampled_models.hpp"

namespace trellis::sampling_test {

using namespace fields;

std::vector<Vec3<double>> in_a_row(std::size_t count) {
    std::vector<Vec3<double>> positions(count);
    for (std::size_t row = 0; row < count; ++row) positions[row] = {static_cast<double>(row), 0, 0};
    return positions;
}

TEST(Sampling, takes_the_middles_of_equal_strides) {
    const auto samples = sample(in_a_row(100), {}, 4, 8);
    ASSERT_EQ(samples.size(), 4U);
    for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(samples[k].position.x, 12 + 25 * static_cast<double>(k));
        EXPECT_EQ(samples[k].weight, 2);
    }
}

TEST(Sampling, takes_each_row_once_at_most_and_shares_all_the_work) {
    for (const std::size_t size : {1, 2, 7, 100, 101})
        for (const std::size_t count : {1, 2, 6, 7, 99, 100, 1000}) {
            const auto samples = sample(in_a_row(size), {}, count, 3);
            EXPECT_EQ(samples.size(), std::min(size, count));
            double work = 0, last = -1;
            for (const Sample& each : samples) {
                EXPECT_GT(each.position.x, last);
                last = each.position.x;
                work += each.weight;
            }
            EXPECT_LT(last, static_cast<double>(size));
            EXPECT_NEAR(work, 3, 1e-12);
        }
}

TEST(Sampling, of_no_particles_is_empty) { EXPECT_TRUE(sample({}, {}, 10, 1).empty()); }

TEST(Sampling, wraps_positions_into_the_region) {
    const auto samples = sample(in_a_row(10), {{0, 0, 0}, {4, 4, 4}}, 10, 1);
    for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(samples[k].position.x, static_cast<double>(k % 4));
}

// The sample is a fifth of the rows; a random fifth would be off by up to six percent.
TEST(Sampling, of_rows_in_the_order_of_the_tree_balances_within_two_percent) {
    for (const auto& make : {models::uniform_cube, models::plummer})
        for (const std::size_t ranks : {8, 12, 64}) {
            ParticleSet particles = make(5000 * ranks, 1);
            std::ranges::sort(particles[position], {}, KeyMaker(bounding_cube(particles[position])));
            const Shape shape = best_shape(static_cast<int>(ranks), {1, 1, 1});
            const Multisection cuts = cut(sample(particles[position], {}, 1000 * ranks, 1), shape, {});
            EXPECT_LT(models::imbalance(cuts, models::samples_of(particles, {})), 1.02) << ranks;
        }
}

}  // namespace trellis::sampling_test
