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

}  // namespace trellis::neighbour_list_cache_test
