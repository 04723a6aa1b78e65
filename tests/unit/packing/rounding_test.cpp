#include "trellis/packing/rounding.hpp"

#include <gtest/gtest.h>

#include "unit/particle_models.hpp"

namespace trellis::rounding_test {

template <class Code>
double rounded(const Code& code, double value) {
    return code.value(code.integer(value));
}

TEST(Multiples, are_the_nearest_ones) {
    models::Random random(1);
    for (int k = 0; k < 1000; ++k) {
        const int exponent = static_cast<int>(random.uniform(-40, 10));
        const double value = random.uniform(-1e3, 1e3), near = rounded(Multiples(exponent), value);
        EXPECT_LE(std::abs(near - value), std::ldexp(0.5, exponent));
        EXPECT_EQ(rounded(Multiples(exponent), near), near);
    }
}

TEST(Multiples, of_distinct_doubles_are_exact) {
    for (const double value : {1.0 / 3, -0.9999999999999999, 5e-324, 0.0})
        EXPECT_EQ(rounded(Multiples(exponent_of(std::abs(value)) - 52), value), std::abs(value) < 1e-300 ? 0 : value);
}

TEST(Multiples, do_not_leave_the_range_of_integers) {
    EXPECT_EQ(rounded(Multiples(0), 1e300), 0x1p62);
    EXPECT_EQ(rounded(Multiples(-1000), -1e300), -0x1p62 * 0x1p-1000);
}

TEST(Digits, all_of_them_are_the_number) {
    models::Random random(1);
    for (int k = 0; k < 1000; ++k) {
        const double value = std::ldexp(random.uniform(-1, 1), static_cast<int>(random.uniform(-1000, 1000)));
        EXPECT_EQ(rounded(Digits(52), value), value);
        const auto single = static_cast<double>(static_cast<float>(random.uniform(-1, 1)));
        EXPECT_EQ(rounded(Digits(23), single), single);
    }
}

TEST(Digits, rounded_up_are_kept_and_no_less_than_the_number) {
    models::Random random(1);
    for (int k = 0; k < 1000; ++k) {
        const int digits = static_cast<int>(random.uniform(1, 52));
        const double value = random.uniform(0, 100), up = Digits(digits).up(value);
        EXPECT_GE(up, value);
        EXPECT_LE(up, value * (1 + std::ldexp(1, -digits)));
        EXPECT_EQ(rounded(Digits(digits), up), up);
    }
    EXPECT_EQ(Digits(8).up(0), 0);
    EXPECT_EQ(Digits(8).up(1), 1);
}

TEST(ExponentOf, is_the_exponent_of_the_power_of_two_below) {
    EXPECT_EQ(exponent_of(1), 0);
    EXPECT_EQ(exponent_of(0.99), -1);
    EXPECT_EQ(exponent_of(1023), 9);
    EXPECT_EQ(power_of_two(exponent_of(0.3)), 0.25);
}

}  // namespace trellis::rounding_test
