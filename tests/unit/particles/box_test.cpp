#include "trellis/particles/box.hpp"

#include <gtest/gtest.h>

#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::box_test {

using namespace fields;

void expect_inside(const Box& box, std::span<const Vec3<double>> positions) {
    EXPECT_GT(box.side, 0);
    for (const auto& at : positions)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            EXPECT_GE(at[axis], box.low[axis]);
            EXPECT_LT(at[axis], box.low[axis] + box.side);
        }
}

TEST(BoundingCube, of_no_positions_is_the_unit_cube) {
    const Box box = bounding_cube({});
    EXPECT_EQ(box.low, (Vec3<double>{0, 0, 0}));
    EXPECT_EQ(box.side, 1);
}

TEST(BoundingCube, fits_the_longest_side) {
    const std::vector<Vec3<double>> positions{{0, 0, 0}, {1, 4, -2}};
    const Box box = bounding_cube(positions);
    EXPECT_NEAR(box.side, 4, 1e-10);
    EXPECT_NEAR(box.low.x + box.side / 2, 0.5, 1e-10);
    EXPECT_NEAR(box.low.z + box.side / 2, -1, 1e-10);
}

TEST(BoundingCube, holds_every_particle_at_any_extent) {
    for (double extent = 1e-30; extent < 2e30; extent *= 10) {
        ParticleSet particles = models::uniform_cube(200, 1);
        models::place(particles, extent, {-0.5 * extent, 0, extent});
        const Box box = bounding_cube(particles[position]);
        expect_inside(box, particles[position]);
        EXPECT_LT(box.side, 1.001 * extent);
    }
}

TEST(BoundingCube, holds_every_particle_far_from_the_origin) {
    for (const double distance : {1e4, 1e8, 1e12, 1e15}) {
        ParticleSet particles = models::uniform_cube(200, 1);
        models::place(particles, 1, {distance, -distance, 3 * distance});
        const Box box = bounding_cube(particles[position]);
        expect_inside(box, particles[position]);
        EXPECT_LT(box.side, 1.001 + 1e-13 * distance);
    }
}

TEST(BoundingCube, of_a_single_position_is_tiny_but_not_empty) {
    for (const Vec3<double> place : {Vec3<double>{0, 0, 0}, {1, 2, 3}, {1e30, 0, -1e30}, {-1e-30, 0, 0}}) {
        const std::vector<Vec3<double>> positions(5, place);
        const Box box = bounding_cube(positions);
        expect_inside(box, positions);
        EXPECT_LE(box.side, std::max(1e-290, 1e-13 * std::sqrt(dot(place, place))));
    }
}

TEST(BoundingCube, is_the_same_for_any_number_of_threads) {
    const ParticleSet particles = models::plummer(50'000, 5);
    const Box alone = with_threads(1, [&] { return bounding_cube(particles[position]); });
    for (const int threads : {2, 3}) {
        const Box box = with_threads(threads, [&] { return bounding_cube(particles[position]); });
        EXPECT_EQ(box.low, alone.low);
        EXPECT_EQ(box.side, alone.side);
    }
}

}  // namespace trellis::box_test
