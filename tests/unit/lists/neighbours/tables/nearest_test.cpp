#include "trellis/lists/neighbours/tables/nearest.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/error_message.hpp"
#include "unit/lists/neighbours/regions.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::nearest_test {

using namespace fields;

ParticleSet in(const Region& region, const models::Model& model, std::size_t size) {
    ParticleSet particles = model.make(size, 3);
    particles.set_region(region);
    particles.wrap_positions();
    return particles;
}

// The squared distance to the nearest of all images.
double distance2(const Region& region, const Vec3<double>& from, const Vec3<double>& to) {
    Vec3<double> d = to - from;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!region.periodic(axis)) continue;
        const double period = region.high[axis] - region.low[axis];
        for (const double image : {to[axis] - from[axis] + period, to[axis] - from[axis] - period})
            if (std::abs(image) < std::abs(d[axis])) d[axis] = image;
    }
    return dot(d, d);
}

// Compares with a search among all others.
void expect_nearest(const ParticleSet& particles, std::size_t count) {
    const auto positions = particles[position];
    const NearestTable table = nearest_neighbours(particles, count);
    ASSERT_EQ(table.count, count);
    ASSERT_EQ(table.rows.size(), particles.size() * count);
    for (std::uint32_t i = 0; i < particles.size(); ++i) {
        std::vector<std::pair<double, std::uint32_t>> others;
        for (std::uint32_t j = 0; j < particles.size(); ++j)
            if (j != i) others.emplace_back(distance2(particles.region(), positions[i], positions[j]), j);
        std::ranges::sort(others);
        for (std::size_t k = 0; k < count; ++k) {
            ASSERT_EQ(table.rows[i * count + k], others[k].second) << i << ' ' << k;
            ASSERT_EQ(table.distances[i * count + k], std::sqrt(others[k].first));
        }
    }
}

class Nearest : public testing::TestWithParam<std::tuple<models::Model, NamedRegion>> {};
std::string name_of(const testing::TestParamInfo<std::tuple<models::Model, NamedRegion>>& of) {
    const auto& [model, in] = of.param;
    return std::string(model.name) + '_' + in.name;
}
INSTANTIATE_TEST_SUITE_P(all, Nearest,
                         testing::Combine(testing::ValuesIn(models::all_models), testing::ValuesIn(all_regions)),
                         name_of);

// Many particles are equally far in some of the models.
TEST_P(Nearest, are_the_first_of_all_others_by_distance_and_row) {
    const auto& [model, region] = GetParam();
    for (const auto& [size, count] : {std::pair{400, 1U}, {400, 8U}, {100, 99U}, {17, 16U}, {2, 1U}})
        expect_nearest(in(region.region, model, static_cast<std::size_t>(size)), count);
}

// With one particle far away, all others are in one leaf.
TEST_P(Nearest, are_the_first_of_all_others_where_keys_are_equal) {
    const auto& [model, region] = GetParam();
    if (region.region.periodic(0)) return;  // it would be wrapped into the box
    ParticleSet particles = in(region.region, model, 400);
    particles[position][7].x = 1e60;
    for (const unsigned count : {1U, 8U, 20U, 399U}) expect_nearest(particles, count);
}

TEST_P(Nearest, are_the_same_for_any_number_of_threads) {
    const auto& [model, region] = GetParam();
    const ParticleSet particles = in(region.region, model, 500);
    const auto on = [&](int threads) {
        return with_threads(threads, [&] { return nearest_neighbours(particles, 5); });
    };
    const NearestTable one = on(1), many = on(4);
    EXPECT_EQ(one.rows, many.rows);
    EXPECT_EQ(one.distances, many.distances);
}

TEST(NearestTo, a_particle_are_found_for_any_given_images) {
    ParticleSet particles(3);
    particles.set_region({{0, 0, 0}, {1, 1, 1}});
    particles[position][0] = {0.1, 0.5, 0.5};
    particles[position][1] = {5.9, -2.5, 0.5};
    particles[position][2] = {0.5, 0.5, 0.5};
    EXPECT_EQ(nearest_neighbours(particles, 1).rows, (std::vector<std::uint32_t>{1, 0, 0}));
}

TEST(NearestTo, a_particle_are_fewer_than_all_particles) {
    const auto message = [](std::size_t size, std::size_t count) {
        return message_of([&] { nearest_neighbours(models::uniform_cube(size, 1), count); });
    };
    EXPECT_EQ(message(5, 5), "the nearest 5 of 5 particles are wanted: allowed is 1 or more, and fewer than there are");
    EXPECT_EQ(message(5, 0), "the nearest 0 of 5 particles are wanted: allowed is 1 or more, and fewer than there are");
    EXPECT_NE(message(0, 1), "");
    EXPECT_EQ(message(5, 4), "");
}

}  // namespace trellis::nearest_test
