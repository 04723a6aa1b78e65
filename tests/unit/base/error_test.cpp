#include "trellis/base/error.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace trellis::error_test {

TEST(ToText, writes_numbers_as_a_person_would) {
    EXPECT_EQ(to_text(0), "0");
    EXPECT_EQ(to_text(-0.5), "-0.5");
    EXPECT_EQ(to_text(1e-10), "1e-10");
    EXPECT_EQ(to_text(131072), "131072");
    EXPECT_EQ(to_text(std::numeric_limits<double>::quiet_NaN()), "nan");
    EXPECT_EQ(to_text(-std::numeric_limits<double>::infinity()), "-inf");
}

}  // namespace trellis::error_test
