#include "trellis/forces/sph/time_step.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace trellis::time_step_test {

TEST(CourantStep, lets_sound_cross_half_the_share_of_the_support) {
    const double c = 3, h = 0.5;
    EXPECT_DOUBLE_EQ(c * courant_step(0.3, h, 2 * c), 0.15 * h);
}

TEST(AccelerationStep, lets_what_starts_from_rest_cross_half_the_shares_square_of_the_support) {
    const double a = 7, h = 0.5, step = acceleration_step(0.3, h, a);
    EXPECT_DOUBLE_EQ(0.5 * a * step * step, 0.045 * h);
    EXPECT_EQ(acceleration_step(0.3, h, 0), std::numeric_limits<double>::infinity());
}

}  // namespace trellis::time_step_test
