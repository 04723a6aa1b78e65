#include "trellis/tree/morton.hpp"

#include <gtest/gtest.h>

#include "unit/particle_models.hpp"

namespace trellis::morton_test {

// The interleaved key, made bit by bit.
std::uint64_t interleave_slowly(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    std::uint64_t key = 0;
    for (int bit = key_bits_an_axis - 1; bit >= 0; --bit)
        for (const std::uint32_t axis : {x, y, z}) key = key << 1 | (axis >> bit & 1);
    return key;
}

TEST(Morton, interleaves_as_bit_by_bit) {
    models::Random random(1);
    constexpr std::uint32_t mask = (1U << key_bits_an_axis) - 1;
    for (int k = 0; k < 10'000; ++k) {
        const auto any = [&] { return static_cast<std::uint32_t>(random.bits()) & mask; };
        const std::uint32_t x = any(), y = any(), z = any();
        ASSERT_EQ(interleave(x, y, z), interleave_slowly(x, y, z)) << x << ' ' << y << ' ' << z;
    }
}

TEST(Morton, interleaves_each_single_bit) {
    for (int bit = 0; bit < key_bits_an_axis; ++bit) {
        EXPECT_EQ(interleave(1U << bit, 0, 0), std::uint64_t{1} << (3 * bit + 2));
        EXPECT_EQ(interleave(0, 1U << bit, 0), std::uint64_t{1} << (3 * bit + 1));
        EXPECT_EQ(interleave(0, 0, 1U << bit), std::uint64_t{1} << (3 * bit));
    }
}

TEST(KeyMaker, numbers_the_octants_x_first) {
    const KeyMaker key({{0, 0, 0}, 1});
    for (std::uint64_t octant = 0; octant < 8; ++octant) {
        const auto half = [&](int bit) { return (octant >> bit & 1) != 0 ? 0.75 : 0.25; };
        EXPECT_EQ(key({half(2), half(1), half(0)}) >> (key_bits - 3), octant);
    }
}

TEST(KeyMaker, puts_a_boundary_into_the_upper_cell) {
    const KeyMaker key({{-1, -1, -1}, 2});
    EXPECT_EQ(key({0, 0, 0}) >> (key_bits - 3), 7U);
    EXPECT_EQ(key({-1e-12, 0, 0}) >> (key_bits - 3), 3U);
}

TEST(KeyMaker, keeps_positions_just_outside_at_the_edge) {
    const KeyMaker key({{0, 0, 0}, 1});
    EXPECT_EQ(key({-1e-10, -1e-10, -1e-10}), 0U);
    EXPECT_EQ(key({1, 1.0001, 1}), (std::uint64_t{1} << key_bits) - 1);
}

TEST(KeyMaker, distinguishes_positions_one_grid_step_apart) {
    for (const double side : {1e-30, 1.0, 1e30}) {
        const KeyMaker key({{0, 0, 0}, side});
        const double step = std::ldexp(side, -key_bits_an_axis);
        for (const double cell : {0.0, 1.0, 77'777.0, 2'097'151.0})
            EXPECT_EQ(key({0, 0, (cell + 0.5) * step}), interleave(0, 0, static_cast<std::uint32_t>(cell)));
    }
}

}  // namespace trellis::morton_test
