#include "trellis/lists/neighbours/tables/neighbours.hpp"

#include <gtest/gtest.h>

#include "unit/error_message.hpp"
#include "unit/lists/neighbours/expected_neighbours.hpp"
#include "unit/lists/neighbours/regions.hpp"
#include "unit/with_threads.hpp"

namespace trellis::neighbours_test {

using namespace fields;

ParticleSet in(const Region& region, const models::Model& model, std::size_t size) {
    ParticleSet particles = model.make(size, 3);
    particles.set_region(region);
    particles.wrap_positions();
    return particles;
}

double distance(const Crowd& crowd, std::size_t i, const NeighbourImage& image) {
    Vec3<double> d = crowd.positions[image.who] - crowd.positions[i];
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (image.periods[axis] != 0) d[axis] += image.periods[axis] * crowd.period(axis);
    return std::sqrt(dot(d, d));
}

void expect_same(const NeighbourTable& a, const NeighbourTable& b) {
    EXPECT_EQ(a.begins, b.begins);
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.distances, b.distances);
}

// The table found by testing all pairs, row by row.
NeighbourTable table_of(const Crowd& crowd) {
    NeighbourTable table{{0}, {}, {}};
    for (std::size_t i = 0; i < crowd.positions.size(); ++i) {
        std::vector<std::pair<std::size_t, double>> row;
        for (const NeighbourImage& image : crowd.neighbours_of(i))
            row.emplace_back(image.who, distance(crowd, i, image));
        std::ranges::sort(row);
        for (const auto& [who, away] : row) {
            table.rows.push_back(static_cast<std::uint32_t>(who));
            table.distances.push_back(away);
        }
        table.begins.push_back(table.rows.size());
    }
    return table;
}

class Neighbours : public testing::TestWithParam<std::tuple<models::Model, NamedRegion>> {};
std::string name_of(const testing::TestParamInfo<std::tuple<models::Model, NamedRegion>>& of) {
    const auto& [model, in] = of.param;
    return std::string(model.name) + '_' + in.name;
}
INSTANTIATE_TEST_SUITE_P(all, Neighbours,
                         testing::Combine(testing::ValuesIn(models::all_models), testing::ValuesIn(all_regions)),
                         name_of);

TEST_P(Neighbours, are_those_of_a_test_of_all_pairs) {
    const auto& [model, region] = GetParam();
    for (const auto& [size, typical] : {std::pair{250, 0.08}, {30, 0.7}, {5, 1.4}, {1, 1.4}})
        for (const Search search : {Search::gather, Search::scatter, Search::symmetric}) {
            SCOPED_TRACE(testing::Message() << size << " particles, search " << static_cast<int>(search));
            const ParticleSet particles = in(region.region, model, static_cast<std::size_t>(size));
            const Crowd crowd(particles, uneven_radii(particles.size(), typical), search);
            expect_same(find_neighbours(particles, crowd.radii, search), table_of(crowd));
        }
}

// Two particles are neighbours of each other, also where many distances equal the radius.
TEST_P(Neighbours, within_one_radius_have_each_other) {
    const auto& [model, region] = GetParam();
    const ParticleSet particles = in(region.region, model, 200);
    for (const double radius : {0.125, 0.3}) {
        const NeighbourTable table = find_neighbours(particles, radius);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> there, back;
        for (std::uint32_t i = 0; i < particles.size(); ++i)
            for (std::uint64_t k = table.begins[i]; k < table.begins[i + 1]; ++k) {
                EXPECT_LT(table.distances[k], radius);
                there.emplace_back(i, table.rows[k]);
                back.emplace_back(table.rows[k], i);
            }
        std::ranges::sort(back);
        EXPECT_EQ(there, back);
    }
}

TEST_P(Neighbours, are_the_same_for_any_number_of_threads) {
    const auto& [model, region] = GetParam();
    const ParticleSet particles = in(region.region, model, 300);
    const auto on = [&](int threads) { return with_threads(threads, [&] { return find_neighbours(particles, 0.1); }); };
    expect_same(on(4), on(1));
}

ParticleSet on_axis(std::initializer_list<double> positions) {
    ParticleSet particles(positions.size());
    for (std::size_t row = 0; const double x : positions) particles[position][row++] = {x, 0, 0};
    return particles;
}

using Rows = std::vector<std::uint32_t>;

TEST(NeighboursWithin, a_radius_are_nearer_than_it) {
    const NeighbourTable table = find_neighbours(on_axis({0, 1, 3, 2}), 1.5);
    EXPECT_EQ(table.begins, (std::vector<std::uint64_t>{0, 1, 3, 4, 6}));
    EXPECT_EQ(table.rows, (Rows{1, 0, 3, 3, 1, 2}));
    EXPECT_EQ(table.distances, std::vector<double>(6, 1));
    EXPECT_TRUE(find_neighbours(on_axis({0, 1, 2, 3}), 1).rows.empty());
    EXPECT_EQ(find_neighbours(on_axis({0, 1, 2, 3}), std::nextafter(1, 2)).rows.size(), 6U);
}

TEST(NeighboursWithin, radii_of_each_use_that_of_one_of_the_other_or_of_either) {
    const ParticleSet particles = on_axis({0, 1, 3});
    const std::vector<double> radii{0.5, 1.5, 2.5};
    EXPECT_EQ(find_neighbours(particles, radii, Search::gather).rows, (Rows{0, 1}));
    EXPECT_EQ(find_neighbours(particles, radii, Search::scatter).rows, (Rows{1, 2}));
    EXPECT_EQ(find_neighbours(particles, radii, Search::symmetric).rows, (Rows{1, 0, 2, 1}));
}

TEST(NeighboursWithin, more_than_a_period_are_images_of_others_and_of_itself) {
    ParticleSet particles = on_axis({0.1, 0.4});
    Region region;
    region.low.x = 0;
    region.high.x = 1;
    particles.set_region(region);
    const NeighbourTable table = find_neighbours(particles, 1.1);
    EXPECT_EQ(table.rows, (Rows{0, 0, 1, 1, 0, 0, 1, 1}));
    const double expected[] = {1, 1, 0.3, 0.7, 0.3, 0.7, 1, 1};
    for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(table.distances[k], expected[k], 1e-15);
}

TEST(NeighboursWithin, a_region_are_the_same_for_any_given_images) {
    ParticleSet particles = models::uniform_cube(200, 1);
    particles.set_region({{0, 0, 0}, {1, 1, 1}});
    models::Random random(2);
    for (auto& at : particles[position])
        for (std::size_t axis = 0; axis < 3; ++axis) at[axis] += static_cast<double>(random.bits() % 9) - 4;
    const NeighbourTable given = find_neighbours(particles, 0.3);
    particles.wrap_positions();
    expect_same(given, find_neighbours(particles, 0.3));
    EXPECT_GT(given.rows.size(), 200U);
}

TEST(NeighboursWithin, any_unit_of_length_are_the_same) {
    for (const double unit : {1e-100, 1e-30, 1e-20, 1e20, 1e30, 1e100}) {
        ParticleSet particles = models::uniform_cube(500, 1);
        const NeighbourTable plain = find_neighbours(particles, 0.1);
        models::place(particles, unit, {0, 0, 0});
        EXPECT_EQ(find_neighbours(particles, 0.1 * unit).rows, plain.rows) << unit;
    }
}

TEST(NeighboursWithin, a_radius_of_zero_do_not_exist) {
    EXPECT_TRUE(find_neighbours(models::one_place(5, 1), 0).rows.empty());
    EXPECT_EQ(find_neighbours(models::one_place(5, 1), 1e-300).rows.size(), 0U);  // the square of this radius is 0
    EXPECT_EQ(find_neighbours(models::one_place(5, 1), 1e-100).rows.size(), 20U);
    EXPECT_EQ(find_neighbours(ParticleSet(0), 1).begins, std::vector<std::uint64_t>{0});
}

TEST(NeighboursWithin, a_radius_that_is_negative_or_not_finite_are_refused) {
    const ParticleSet particles = on_axis({0, 1, 3});
    EXPECT_EQ(message_of([&] { find_neighbours(particles, -1); }), "radius is -1: allowed is 0 or more");
    EXPECT_EQ(message_of([&] { find_neighbours(particles, std::nan("")); }), "radius is nan: allowed is 0 or more");
    EXPECT_EQ(message_of([&] { find_neighbours(particles, std::vector<double>{1, 2}); }),
              "there are 2 radii for 3 particles: allowed is one for all or one for each");
}

}  // namespace trellis::neighbours_test
