// Lists that are kept over steps.
#include <gtest/gtest.h>

#include "trellis/forces/short_range/neighbour_list_cache.hpp"
#include "unit/particle_models.hpp"

namespace trellis::neighbour_list_cache_test {

TEST(NeighbourListCache, checks_the_lists_in_use_where_devices_take_turns_with_the_host) {
    ParticleSet particles = models::uniform_cube(500, 3);
    const double radius = 0.2;
    NeighbourListCache cache(Search::gather, 0.5, 40, true);
    cache.prune_to(0.1);
    cache.attach(particles, 0);
    Phases phases;
    const auto prepare = [&](bool for_devices) {
        cache.serve_devices(for_devices);
        cache.prepare(particles, Radii({&radius, 1}), nullptr, {.may_reuse = true}, phases);
        return cache.use().prunings;
    };
    EXPECT_EQ(prepare(true), 0U);
    EXPECT_EQ(prepare(true), 0U);
    EXPECT_EQ(prepare(false), 1U);
    EXPECT_EQ(prepare(false), 1U);
    particles[fields::position][0].x += 0.25 * radius;  // beyond the skin of pruned lists, not of those for devices
    EXPECT_EQ(prepare(true), 1U);
    EXPECT_EQ(prepare(false), 2U);
    particles[fields::position][0].x -= 0.2 * radius;
    EXPECT_EQ(prepare(false), 3U);
    EXPECT_EQ(cache.use().constructions, 1U);
}

TEST(NeighbourListCache, prunes_again_within_a_step_where_search_radii_have_grown_beyond_the_skin) {
    ParticleSet particles = models::uniform_cube(500, 3);
    std::vector<double> radius(500, 0.2);
    const std::vector<std::uint8_t> all(500, 1);
    NeighbourListCache cache(Search::symmetric, 0.3, 40, true);
    cache.prune_at_each_step(0.01);
    cache.attach(particles, 0);
    Phases phases;
    const auto entries = [&] {
        std::size_t sum = 0;
        for (const GroupClusters& clusters : cache.lists().clusters(phases).groups()) sum += clusters.begins.back();
        return sum;
    };
    const auto prepare = [&](std::span<const std::uint8_t> rows) {
        ForceStep step{.may_reuse = true};
        if (!rows.empty()) step.rungs.emplace();
        cache.prepare(particles, Radii(radius), nullptr, step, phases, rows);
        return entries();
    };
    const auto follow = [&](double factor) {
        for (double& value : radius) value *= factor;
        return cache.follow(particles, Radii(radius), all, nullptr, phases);
    };
    const std::size_t pruned = prepare({});
    EXPECT_FALSE(follow(1.009));
    EXPECT_EQ(entries(), pruned);
    EXPECT_FALSE(follow(1.1));
    EXPECT_GT(entries(), pruned);
    EXPECT_EQ(cache.use().constructions, 1U);
    const std::size_t of_some_rows = prepare(all);  // these are not pruned
    EXPECT_LT(prepare({}), of_some_rows);
    EXPECT_TRUE(follow(1.3));
    EXPECT_EQ(cache.use().constructions, 2U);
    EXPECT_EQ(cache.use().reuses, 2U);
}

}  // namespace trellis::neighbour_list_cache_test
