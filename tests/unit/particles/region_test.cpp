#include "trellis/particles/region.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/error_message.hpp"
#include "unit/particle_models.hpp"

namespace trellis::region_test {

constexpr double infinity = Region::infinity;

TEST(Region, leaves_positions_within_unchanged) {
    const Region everywhere, box{{-0.1, 0, 3}, {0.7, 1, 4}};
    models::Random random(3);
    for (int k = 0; k < 1000; ++k) {
        const Vec3<double> place{random.uniform(-0.1, 0.7), random.uniform(0, 1), random.uniform(3, 4)};
        EXPECT_EQ(box.wrapped(place), place);
        EXPECT_EQ(everywhere.wrapped(1e30 * place), 1e30 * place);
    }
    EXPECT_EQ(box.wrapped(box.low), box.low);
    EXPECT_EQ(box.wrapped(box.high), box.low);
    EXPECT_TRUE(std::isnan(box.wrapped({NAN, 0, 0}).x));
}

TEST(Region, wraps_positions_into_the_box_by_whole_sides) {
    const Region box{{-0.1, -infinity, 3}, {0.7, infinity, 4}};
    models::Random random(4);
    for (int k = 0; k < 1000; ++k) {
        const Vec3<double> place{random.uniform(-30, 30), random.uniform(-30, 30), random.uniform(-30, 30)};
        const Vec3<double> inside = box.wrapped(place);
        EXPECT_EQ(inside.y, place.y);
        EXPECT_TRUE(inside.x >= -0.1 && inside.x < 0.7 && inside.z >= 3 && inside.z < 4);
        EXPECT_NEAR(std::remainder(inside.x - place.x, 0.8), 0, 1e-13);
        EXPECT_NEAR(std::remainder(inside.z - place.z, 1), 0, 1e-13);
    }
}

TEST(Region, wraps_any_finite_position_below_the_upper_face) {
    const Region box{{0.1, 0.1, 0.1}, {0.3, 0.3, 0.3}};
    for (const double x :
         {std::nextafter(0.1, 0), std::nextafter(0.3, 0), 0.3, std::nextafter(0.3, 1), -1e-300, 1e300, -1e300}) {
        const double inside = box.wrapped({x, 0.2, 0.2}).x;
        EXPECT_GE(inside, 0.1) << x;
        EXPECT_LT(inside, 0.3) << x;
    }
    EXPECT_EQ((Region{{0, 0, 0}, {1, 1, 1}}.wrapped({-1e-300, 0, 0}).x), 0);
}

TEST(Region, repeats_along_any_axis_or_along_none) {
    EXPECT_FALSE(Region{}.periodic());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Region slab;
        slab.low[axis] = 0;
        slab.high[axis] = 1;
        EXPECT_TRUE(slab.periodic());
        for (std::size_t other = 0; other < 3; ++other) EXPECT_EQ(slab.periodic(other), other == axis);
    }
}

TEST(Region, refuses_faces_that_bound_no_volume) {
    const auto message = [](double low, double high) {
        return message_of([&] { Region{{0, low, 0}, {1, high, 1}}.check(); });
    };
    EXPECT_EQ(message(0, 1), "");
    EXPECT_EQ(message(-infinity, infinity), "");
    EXPECT_EQ(
        message(2, 2),
        "along y the region goes from 2 to 2: allowed are two infinite faces, or two finite ones, the lower first");
    for (const auto& [low, high] :
         {std::pair{1.0, 0.0}, {0.0, infinity}, {-infinity, 0.0}, {0.0, std::nan("")}, {infinity, -infinity}})
        EXPECT_NE(message(low, high), "") << low << " " << high;
}

}  // namespace trellis::region_test
