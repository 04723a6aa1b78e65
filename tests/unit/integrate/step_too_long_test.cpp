#include "trellis/integrate/step_too_long.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "trellis/base/error.hpp"
#include "unit/error_message.hpp"
#include "unit/particle_models.hpp"

namespace trellis::step_too_long_test {

using namespace fields;

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(StepTooLong, is_one_in_which_an_acceleration_crosses_half_the_range) {
    EXPECT_FALSE(step_is_too_long(124.9 * 124.9, 0.1, 2.5));
    EXPECT_TRUE(step_is_too_long(125.1 * 125.1, 0.1, 2.5));
    EXPECT_FALSE(step_is_too_long(1e200, 0.1, infinite));
    EXPECT_FALSE(step_is_too_long(0, 1e-300, 1e-300));
    for (const double range : {1.0, infinite}) {
        EXPECT_TRUE(step_is_too_long(infinite, 0.1, range));
        EXPECT_TRUE(step_is_too_long(std::numeric_limits<double>::quiet_NaN(), 0.1, range));
    }
}

TEST(StepTooLong, names_the_particle_and_its_nearest_neighbour) {
    ParticleSet particles(3);
    particles[position][1] = {9, 0, 0};
    particles[position][2] = {5, 0, 0};
    particles.set_region({{0, 0, 0}, {10, 10, 10}});
    std::ranges::fill(particles[mass], 1.0);
    check_step(particles, 1, 0.1, 2.5);
    particles[acceleration][1] = {0, 200, 0};
    EXPECT_EQ(
        message_of<RunError>([&] { check_step(particles, 1, 0.1, 2.5); }),
        "the step of 0.1 at t = 1 is too long: the acceleration of the particle of id 1 at (9, 0, 0) would move it "
        "by 2 in it, more than half the 2.5 within which particles interact; its nearest neighbour, of id 0, is 1 "
        "away: shorter steps may help, or a beginning in which no particles overlap");
    particles[acceleration][1] = {0, infinite, 0};
    EXPECT_EQ(
        message_of<RunError>([&] { check_step(particles, 1, 0.1, infinite); }),
        "the acceleration of the particle of id 1 at (9, 0, 0) at t = 1 is not finite, or too large to be squared; "
        "its nearest neighbour, of id 0, is 1 away: shorter steps may help, or a beginning in which no particles "
        "overlap");
    particles[mass][1] = 0;
    EXPECT_EQ(message_of<RunError>([&] { check_step(particles, 1, 0.1, infinite); }),
              "the acceleration of the particle of id 1 at (9, 0, 0) at t = 1 is not finite, or too large to be "
              "squared: its mass is 0, by which its force is divided");
}

}  // namespace trellis::step_too_long_test
