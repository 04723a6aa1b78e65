#include "trellis/ranks/domain/shape.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "trellis/particles/box.hpp"

namespace trellis::shape_test {

constexpr Vec3<double> cube{1, 1, 1};

TEST(Shape, deals_each_rank_to_one_column_in_order) {
    for (const int ranks : {1, 2, 3, 5, 7, 12, 17, 64, 101, 1000}) {
        const Shape shape = best_shape(ranks, {1, 2, 3});
        int next = 0;
        for (int slab = 0; slab < shape.slabs; ++slab) {
            EXPECT_EQ(shape.begin(slab), next);
            for (int column = 0; column < shape.columns; ++column) {
                EXPECT_EQ(shape.begin(slab, column), next);
                ASSERT_LT(next, shape.begin(slab, column + 1));
                for (; next < shape.begin(slab, column + 1); ++next) {
                    EXPECT_EQ(shape.slab_of(next), slab);
                    EXPECT_EQ(shape.column_of(next), column);
                }
            }
        }
        EXPECT_EQ(next, ranks);
    }
}

TEST(Shape, has_slabs_and_columns_of_like_size) {
    for (int ranks = 1; ranks < 300; ++ranks) {
        const Shape shape = best_shape(ranks, cube);
        std::vector<int> slabs, columns;
        for (int slab = 0; slab < shape.slabs; ++slab) {
            slabs.push_back(shape.begin(slab + 1) - shape.begin(slab));
            for (int column = 0; column < shape.columns; ++column)
                columns.push_back(shape.begin(slab, column + 1) - shape.begin(slab, column));
        }
        EXPECT_LE(std::ranges::max(slabs) - std::ranges::min(slabs), 1);
        EXPECT_LE(std::ranges::max(columns) - std::ranges::min(columns), 1);
    }
}

TEST(Shape, of_a_cube_number_of_ranks_is_a_cube) {
    for (const int side : {1, 2, 3, 5, 10})
        EXPECT_EQ(best_shape(side * side * side, cube), (Shape{side * side * side, side, side}));
}

TEST(Shape, follows_the_sides) {
    EXPECT_EQ(best_shape(8, {8, 1, 1}), (Shape{8, 8, 1}));
    EXPECT_EQ(best_shape(8, {1, 8, 1}), (Shape{8, 1, 8}));
    EXPECT_EQ(best_shape(8, {1, 1, 8}), (Shape{8, 1, 1}));
    EXPECT_EQ(best_shape(16, {1, 1, 1e-3}), (Shape{16, 4, 4}));
    EXPECT_EQ(best_shape(32, {2, 2, 1}), (Shape{32, 4, 4}));
}

// The longest side over the shortest, the worst of all domains, if particles fill a cube evenly.
double worst_aspect(const Shape& shape) {
    double worst = 1;
    for (int slab = 0; slab < shape.slabs; ++slab)
        for (int column = 0; column < shape.columns; ++column) {
            const double of_slab = shape.begin(slab + 1) - shape.begin(slab);
            const double of_column = shape.begin(slab, column + 1) - shape.begin(slab, column);
            const Vec3<double> sides{of_slab / shape.ranks, of_column / of_slab, 1 / of_column};
            worst = std::max(worst, largest(sides) / -largest(-sides));
        }
    return worst;
}

TEST(Shape, has_no_thin_domains_whatever_the_number_of_ranks) {
    for (int ranks = 1; ranks < 1100; ++ranks) {
        const double bound = ranks < 8 ? 3.001 : ranks < 40 ? 2.26 : 1.9;
        EXPECT_LE(worst_aspect(best_shape(ranks, cube)), bound) << ranks;
    }
}

// The faces are counted one by one, unlike in surface().
TEST(Shape, has_the_surface_of_its_domains) {
    const Vec3<double> sides{2, 3, 5};
    for (const int ranks : {1, 7, 30, 101}) {
        const Shape shape = best_shape(ranks, sides);
        double area = (shape.slabs - 1) * sides.y * sides.z;
        for (int slab = 0; slab < shape.slabs; ++slab) {
            const double of_slab = shape.begin(slab + 1) - shape.begin(slab), width = of_slab / ranks * sides.x;
            area += (shape.columns - 1) * width * sides.z;
            for (int column = 0; column < shape.columns; ++column) {
                const double of_column = shape.begin(slab, column + 1) - shape.begin(slab, column);
                area += (of_column - 1) * width * (of_column / of_slab * sides.y);
            }
        }
        EXPECT_NEAR(surface(shape, sides), area / (sides.x * sides.y * sides.z), 1e-12);
    }
}

TEST(Shape, begins_slabs_with_the_ranks_of_each_site) {
    for (const std::vector<int>& begins : {std::vector{0, 4}, {0, 1}, {0, 5}, {0, 2, 7}, {0, 3, 6, 9}}) {
        const int ranks = 12;
        const Shape shape = best_shape(ranks, cube, begins);
        EXPECT_TRUE(slabs_begin_at(shape, begins));
        EXPECT_GE(shape.slabs, static_cast<int>(begins.size()));
        EXPECT_EQ(shape.ranks, ranks);
    }
}

TEST(Shape, of_several_sites_is_of_least_surface) {
    EXPECT_EQ(best_shape(8, cube, std::vector{0}), best_shape(8, cube));
    EXPECT_EQ(best_shape(8, cube, std::vector{0, 4}), (Shape{8, 2, 2}));
    const double least = surface(best_shape(128, cube, std::vector{0, 64}), cube);
    EXPECT_LE(least, surface({128, 4, 6}, cube));
    EXPECT_LE(least, 1.1 * surface(best_shape(128, cube), cube));
}

}  // namespace trellis::shape_test
