#include "trellis/forces/sph/time_step.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

TEST(CourantStep, lets_sound_cross_half_the_share_of_the_support) {
    const double c = 3, h = 0.5;
    EXPECT_DOUBLE_EQ(c * courant_step(0.3, h, 2 * c), 0.15 * h);
}

}  // namespace
}  // namespace trellis
