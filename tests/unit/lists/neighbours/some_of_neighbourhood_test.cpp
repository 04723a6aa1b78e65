// Lists of some rows alone.
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "unit/lists/neighbours/neighbourhood_on.hpp"

namespace trellis::neighbourhood_test {

class SomeOfNeighbourhoodOn : public NeighbourhoodOn {};
INSTANTIATE_TEST_SUITE_P(Ranks, SomeOfNeighbourhoodOn, ranks_and_regions, name_of);

TEST_P(SomeOfNeighbourhoodOn, makes_lists_for_some_rows_alone_and_adds_others) {
    for_each_search(300, [](Part& part, const Crowd& crowd) {
        const auto rows = part.rows_near({0.3, 0.3, 0.3}, 0.2);
        part.build(rows);
        const auto wanted = part.groups_of(rows);
        const auto groups = part.neighbourhood.lists().groups();
        for (std::size_t g = 0; g < groups.size(); ++g) EXPECT_EQ(groups[g].made(), wanted[g] == 1);
        trellis::expect_all_listed_once(part.neighbourhood.lists(), part.columns(), crowd, wanted);
        part.neighbourhood.add_lists({}, part.phases);
        EXPECT_GT(part.expect_all_listed_once(crowd), 0U);
    });
}

TEST_P(SomeOfNeighbourhoodOn, has_each_particle_within_reach_when_it_is_renewed) {
    for_each_search(300, [](Part& part, const Crowd& crowd) {
        const bool alone = part.ranks.comm->size() == 1;
        EXPECT_EQ(part.neighbourhood.may_be_renewed(skin), alone);
        EXPECT_FALSE(part.neighbourhood.may_be_renewed(2 * skin));
        if (!alone) return;
        Crowd later = crowd;
        models::Random random(4);
        for (auto& at : later.positions) at += typical * random.direction();
        for (double& radius : later.radii) radius *= random.uniform(0.8, 1.2);
        part.move(later);
        const std::vector<std::uint32_t> order(part.neighbourhood.tree().order().begin(),
                                               part.neighbourhood.tree().order().end());
        const auto rows = part.rows_near({0.3, 0.3, 0.3}, 0.2);
        part.neighbourhood.renew(part.own, Radii(part.radii), part.phases, rows);
        EXPECT_TRUE(std::ranges::equal(part.neighbourhood.tree().order(), order));
        trellis::expect_all_listed_once(part.neighbourhood.lists(), part.columns(), later, part.groups_of(rows));
        part.neighbourhood.add_lists({}, part.phases);
        EXPECT_GT(part.expect_all_listed_once(later), 0U);
    });
}

TEST_P(SomeOfNeighbourhoodOn, selects_the_blocks_that_some_rows_and_their_neighbours_are_in) {
    for_each_search(300, [](Part& part, const Crowd&) {
        const auto rows = part.rows_near({0.3, 0.3, 0.3}, 0.2);
        NeighbourSelection selection;
        part.neighbourhood.select(rows, selection);
        const auto groups = part.neighbourhood.lists().groups();
        std::set<std::size_t> own, read;
        const auto note = [&](std::set<std::size_t>& blocks, std::size_t first, std::size_t end) {
            for (std::size_t slot = first; slot < std::min(end, part.own.size()); ++slot)
                blocks.insert(slot / SortedColumns::block_slots);
        };
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (part.groups_of(rows)[g] == 0) continue;
            note(own, groups[g].first, groups[g].first + groups[g].count);
            for (const SlotRange& range : groups[g].ranges) note(read, range.first, range.end);
        }
        read.insert(own.begin(), own.end());
        EXPECT_EQ(selection.groups, part.groups_of(rows));
        EXPECT_TRUE(std::ranges::equal(selection.own_blocks, own));
        EXPECT_TRUE(std::ranges::equal(selection.blocks, read));
    });
}

TEST_P(SomeOfNeighbourhoodOn, has_each_particle_within_reach_of_some_while_it_holds_for_them) {
    std::atomic<int> held = 0, ended = 0;
    for_each_search(uneven_radii(200, typical), [&](Part& part, const Crowd& crowd) {
        part.build(std::vector<std::uint8_t>(part.own.size(), 0));
        models::Random random(5);
        for (int trial = 0; trial < 24; ++trial) {
            Crowd later = crowd;
            const double slow = typical * std::pow(10, random.uniform(-3, -1)), growth = 0.1 * (trial % 4);
            const Vec3<double> place = random.in_cube();
            for (std::size_t who = 0; who < later.radii.size(); ++who) {
                // Far from those that count, particles move beyond the skin.
                const Vec3<double> away = crowd.positions[who] - place;
                later.positions[who] += (dot(away, away) < 0.2 ? slow : typical) * random.direction();
                if (who % 7 == 0) later.radii[who] *= 1 + random.uniform(0, growth);
            }
            part.move(later);
            const auto rows = part.rows_near(place, 0.15);
            const bool holds = part.holds(rows);
            (holds ? held : ended) += 1;
            if (!holds) continue;
            part.neighbourhood.add_lists(rows, part.phases);
            trellis::expect_all_listed_once(part.neighbourhood.lists(), part.columns(), later, part.groups_of(rows));
        }
    });
    EXPECT_GT(held, 0);
    EXPECT_GT(ended, 0);
}

// The lists of one particle, whose own radius stays: another's grows until it reaches that particle.
TEST_P(SomeOfNeighbourhoodOn, holds_for_some_until_the_radius_of_another_reaches_them) {
    for_each_search(std::vector<double>(300, typical), [](Part& part, const Crowd& crowd) {
        const std::size_t one = 17;
        std::size_t other = 0;
        double nearest = 1;  // beyond the skin, and far enough to be in another group
        for (std::size_t who = 0; who < crowd.positions.size(); ++who) {
            const Vec3<double> away = crowd.positions[who] - crowd.positions[one];
            const double distance = std::sqrt(dot(away, away));
            if (distance < 0.5 || distance > nearest) continue;
            nearest = distance;
            other = who;
        }
        std::vector<std::uint8_t> rows(part.own.size(), 0);
        if (const auto row = part.row_of(static_cast<double>(one))) rows[*row] = 1;
        part.build(rows);
        EXPECT_TRUE(part.holds(rows));
        if (const auto row = part.row_of(static_cast<double>(other))) part.radii[*row] = 1.01 * nearest;
        EXPECT_FALSE(part.holds(rows));
    });
}

}  // namespace trellis::neighbourhood_test
