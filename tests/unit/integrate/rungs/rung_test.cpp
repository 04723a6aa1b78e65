#include "trellis/integrate/rungs/rung.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace trellis::rung_test {

TEST(Rung, is_that_of_the_longest_step_that_is_allowed) {
    EXPECT_EQ(rung_of(std::numeric_limits<double>::infinity()), 0U);
    EXPECT_EQ(rung_of(1), 0U);
    EXPECT_EQ(rung_of(std::nextafter(1.0, 0.0)), 1U);
    for (unsigned rung = 1; rung <= deepest_rung; ++rung) {
        const double step = std::ldexp(1.0, -static_cast<int>(rung));
        EXPECT_EQ(rung_of(step), rung);
        EXPECT_EQ(rung_of(std::nextafter(step, 1.0)), rung);
        EXPECT_EQ(rung_of(std::nextafter(step, 0.0)), rung + 1);
    }
}

TEST(Rung, of_a_step_that_is_too_short_or_unknown_is_beyond_the_deepest) {
    for (const double share : {0.0, 1e-30, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_EQ(rung_of(share), deepest_rung + 1);
}

}  // namespace trellis::rung_test
