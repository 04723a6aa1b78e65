#include "trellis/ranks/domain/site_slabs.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace trellis::site_slabs_test {

constexpr Vec3<double> cube{1, 1, 1};

TEST(SiteSlabs, begin_with_the_ranks_of_each_site) {
    for (const std::vector<int>& begins : {std::vector{0, 4}, {0, 1}, {0, 5}, {0, 2, 7}, {0, 3, 6, 9}}) {
        const int ranks = 12;
        const Shape shape = best_shape(ranks, cube, begins);
        EXPECT_TRUE(slabs_begin_at(shape, begins));
        EXPECT_GE(shape.slabs, static_cast<int>(begins.size()));
        EXPECT_EQ(shape.ranks, ranks);
    }
}

TEST(SiteSlabs, are_of_least_surface) {
    EXPECT_EQ(best_shape(8, cube, std::vector{0}), best_shape(8, cube));
    EXPECT_EQ(best_shape(8, cube, std::vector{0, 4}), (Shape{8, 2, 2}));
    const double least = surface(best_shape(128, cube, std::vector{0, 64}), cube);
    EXPECT_LE(least, surface({128, 4, 6}, cube));
    EXPECT_LE(least, 1.1 * surface(best_shape(128, cube), cube));
}

}  // namespace trellis::site_slabs_test
