#include "trellis/base/math.hpp"

#include <gtest/gtest.h>

namespace trellis::math_test {

TEST(Math, rsqrt_of_zero_is_zero) {
    EXPECT_EQ(rsqrt(0.0), 0.0);
    EXPECT_EQ(rsqrt(0.0f), 0.0f);
}

TEST(Math, rsqrt_is_the_inverse_of_the_root) {
    EXPECT_EQ(rsqrt(4.0), 0.5);
    EXPECT_EQ(rsqrt(0.0625f), 4.0f);
    EXPECT_DOUBLE_EQ(rsqrt(1e-300), 1e150);
}

TEST(Math, select_takes_the_first_where_the_condition_holds) {
    EXPECT_EQ(select(true, 1.0, 2.0), 1.0);
    EXPECT_EQ(select(false, 1.0, 2.0), 2.0);
}

TEST(Math, exp_of_scalars) {
    EXPECT_EQ(trellis::exp(0.0), 1.0);
    EXPECT_FLOAT_EQ(trellis::exp(1.0f), 2.7182818f);
}

}  // namespace trellis::math_test
