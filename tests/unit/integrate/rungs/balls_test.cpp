#include "trellis/integrate/rungs/balls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace trellis::balls_test {

// By the distances of all images of a position that may matter.
bool in_one_of(const std::vector<Ball>& balls, const Region& region, const Vec3<double>& position) {
    Vec3<double> sides{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (region.periodic(axis)) sides[axis] = region.high[axis] - region.low[axis];
    for (int image = 0; image < 343; ++image) {
        const Vec3<double> at{position.x + (image % 7 - 3) * sides.x, position.y + (image / 7 % 7 - 3) * sides.y,
                              position.z + (image / 49 - 3) * sides.z};
        const auto holds = [&](const Ball& ball) {
            const Vec3<double> apart = at - ball.centre;
            return std::sqrt(dot(apart, apart)) <= ball.radius;
        };
        if (std::ranges::any_of(balls, holds)) return true;
    }
    return false;
}

// Positions and centres up to half a side beyond the box, and small and large balls.
TEST(Balls, contain_what_is_near_an_image_of_a_centre) {
    constexpr double open = Region::infinity;
    const Region regions[] = {
        {}, {{-1, -1, -1}, {1, 1, 1}}, {{-1, -open, -1}, {1, open, 2}}, {{-open, 0, -open}, {open, 1, open}}};
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> place(-2, 2);
    std::size_t inside = 0, outside = 0;
    for (const Region& region : regions)
        for (const double radius : {0.02, 0.1, 0.7}) {
            std::vector<Ball> balls(10);
            for (Ball& ball : balls)
                ball = {{place(random), place(random), place(random)}, radius * (1.5 + place(random) / 2)};
            const Balls all(balls, region);
            for (int trial = 0; trial < 300; ++trial) {
                const Vec3<double> position{place(random), place(random), place(random)};
                const bool expected = in_one_of(balls, region, position);
                EXPECT_EQ(all.contain(position), expected);
                ++(expected ? inside : outside);
            }
        }
    EXPECT_GT(std::min(inside, outside), 500U);
}

TEST(Balls, of_none_contain_nothing) { EXPECT_FALSE(Balls({}, Region()).contain({0, 0, 0})); }

}  // namespace trellis::balls_test
