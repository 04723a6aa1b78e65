// Functions of <cmath> for batches against those for numbers.
#include "trellis/base/lane_functions.hpp"

#include <gtest/gtest.h>

namespace trellis::lane_functions_test {

template <class T>
class LaneFunctions : public testing::Test {
  protected:
    using Two = Batch<T, 2>;

    // The first and the last lane of the second part, and what the function makes of them.
    template <class Function>
    static void expect_lane_by_lane(Function function, double of_first, double of_last) {
        Two x = 1;
        x.part[1][0] = T(0.5);
        x.part[1][lanes<T> - 1] = T(-0.75);
        const Two y = function(x);
        EXPECT_NEAR(y.part[1][0], of_first, 1e-6 * std::abs(of_first));
        EXPECT_NEAR(y.part[1][lanes<T> - 1], of_last, 1e-6 * std::abs(of_last));
    }
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(LaneFunctions, ValueTypes);

TYPED_TEST(LaneFunctions, are_those_of_numbers) {
    this->expect_lane_by_lane([](const auto& x) { return log(x + 1); }, std::log(1.5), std::log(0.25));
    this->expect_lane_by_lane([](const auto& x) { return sin(x); }, std::sin(0.5), std::sin(-0.75));
    this->expect_lane_by_lane([](const auto& x) { return cos(x); }, std::cos(0.5), std::cos(-0.75));
    this->expect_lane_by_lane([](const auto& x) { return tanh(x); }, std::tanh(0.5), std::tanh(-0.75));
    this->expect_lane_by_lane([](const auto& x) { return cbrt(x); }, std::cbrt(0.5), std::cbrt(-0.75));
    this->expect_lane_by_lane([](const auto& x) { return erf(x); }, std::erf(0.5), std::erf(-0.75));
    this->expect_lane_by_lane([](const auto& x) { return erfc(x); }, std::erfc(0.5), std::erfc(-0.75));
    this->expect_lane_by_lane([](const auto& x) { return abs(x); }, 0.5, 0.75);
}

TYPED_TEST(LaneFunctions, powers_take_numbers_and_batches) {
    this->expect_lane_by_lane([](const auto& x) { return pow(x, 7); }, 0x1p-7, std::pow(-0.75, 7));
    this->expect_lane_by_lane([](const auto& x) { return pow(x, -3); }, 8, std::pow(-0.75, -3));
    this->expect_lane_by_lane([](const auto& x) { return pow(x, 0U); }, 1, 1);
    this->expect_lane_by_lane([](const auto& x) { return pow(x + 1, 2.5); }, std::pow(1.5, 2.5), 0x1p-5);
    this->expect_lane_by_lane([](const auto& x) { return pow(2, x); }, std::sqrt(2), std::pow(2, -0.75));
    this->expect_lane_by_lane([](const auto& x) { return pow(x + 1, x); }, std::sqrt(1.5), std::pow(0.25, -0.75));
}

TYPED_TEST(LaneFunctions, a_number_may_come_first) {
    this->expect_lane_by_lane([](const auto& x) { return select(x < 0.0F, 3.0F, x); }, 0.5, 3);
    this->expect_lane_by_lane([](const auto& x) { return max(0.0F, x); }, 0.5, 0);
    this->expect_lane_by_lane([](const auto& x) { return min(0.0F, x); }, 0, -0.75);
}

TEST(LaneFunctionsOfNumbers, have_the_finer_type) {
    EXPECT_EQ(max(0.0F, 1.0 / 3), 1.0 / 3);
    EXPECT_EQ(min(1.0F, 1.0 / 3), 1.0 / 3);
    EXPECT_EQ(max(1.0 / 3, 0), 1.0 / 3);
    EXPECT_EQ(select(false, 0.0F, 1.0 / 3), 1.0 / 3);
    EXPECT_EQ(abs(-0.5), 0.5);
}

}  // namespace trellis::lane_functions_test
