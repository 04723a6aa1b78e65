#include "trellis/base/vec.hpp"

#include <gtest/gtest.h>

namespace trellis::vec_test {

using Vec = Vec3<double>;

TEST(Vec3, arithmetic_is_by_component) {
    const Vec a{1, 2, 3}, b{10, 20, 40};
    EXPECT_EQ(a + b, (Vec{11, 22, 43}));
    EXPECT_EQ(b - a, (Vec{9, 18, 37}));
    EXPECT_EQ(-a, (Vec{-1, -2, -3}));
    EXPECT_EQ(2.0 * a, (Vec{2, 4, 6}));
    EXPECT_EQ(a * 2.0, (Vec{2, 4, 6}));
    EXPECT_EQ(b / 10.0, (Vec{1, 2, 4}));
}

TEST(Vec3, assignments_change_all_components) {
    Vec a{1, 2, 3};
    a += Vec{1, 1, 2};
    EXPECT_EQ(a, (Vec{2, 3, 5}));
    a -= Vec{2, 2, 2};
    EXPECT_EQ(a, (Vec{0, 1, 3}));
    a *= 3.0;
    EXPECT_EQ(a, (Vec{0, 3, 9}));
}

TEST(Vec3, index_names_the_axes) {
    Vec a{1, 2, 3};
    EXPECT_EQ(a[0], 1);
    EXPECT_EQ(a[1], 2);
    EXPECT_EQ(a[2], 3);
    a[1] = 7;
    EXPECT_EQ(a.y, 7);
}

TEST(Vec3, dot_and_cross_products) {
    const Vec a{1, 2, 3}, b{4, -5, 6};
    EXPECT_EQ(dot(a, b), 12);
    EXPECT_EQ(cross(a, b), (Vec{27, 6, -13}));
    EXPECT_EQ(cross(Vec{1, 0, 0}, Vec{0, 1, 0}), (Vec{0, 0, 1}));
}

}  // namespace trellis::vec_test
