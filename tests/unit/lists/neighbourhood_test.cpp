#include "trellis/lists/neighbourhood.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "trellis/ranks/thread_ranks.hpp"
#include "unit/forces/shared_particles.hpp"
#include "unit/lists/met_particles.hpp"
#include "unit/lists/regions.hpp"

namespace trellis {
namespace {

constexpr double skin = 0.2, typical = 0.1;
const std::vector<FieldInfo> read{field_info<Position>(), field_info<Number>(), field_info<Mass>()};

// One rank's particles and whom they meet.
struct Part {
    Part(Comm& comm, const ParticleSet& all, const Crowd& crowd)
        : own(share_of(all, cut_of(all, comm.size()), comm.rank())),
          ranks{std::shared_ptr<Comm>(&comm, [](Comm*) {}), {}},
          neighbourhood(crowd.search, skin, 32) {
        own.set_region(all.region());
        for (const double who : own[number]) radii.push_back(crowd.radii[static_cast<std::size_t>(who)]);
        neighbourhood.build(own, Position::name, Radii(radii), comm.size() > 1 ? &ranks : nullptr, phases);
    }

    bool holds() { return neighbourhood.holds(own, Radii(radii), phases); }
    std::size_t expect_all_met_once(const Crowd& crowd) {
        return trellis::expect_all_met_once(neighbourhood.lists(), columns(), crowd);
    }
    // Position and number of all, mass of the own ones.
    SortedColumns columns() const {
        SortedColumns columns;
        columns.gather(own, read, neighbourhood.tree().order());
        if (const auto exchange = neighbourhood.begin_ghosts(columns, 4))
            neighbourhood.finish_ghosts(*exchange, 4, columns);
        return columns;
    }
    // The row of a particle, if it is here.
    std::optional<std::size_t> row_of(double who) const {
        for (std::size_t row = 0; row < own.size(); ++row)
            if (own[number][row] == who) return row;
        return std::nullopt;
    }

    ParticleSet own;
    Ranks ranks;
    Neighbourhood neighbourhood;
    std::vector<double> radii;
    Phases phases;
};

class NeighbourhoodOn : public testing::TestWithParam<std::tuple<int, NamedRegion>> {
  protected:
    template <class Check>
    void for_each_search(std::size_t size, Check check) const {
        for_each_search(uneven_radii(size, typical), check);
    }
    template <class Check>
    void for_each_search(const std::vector<double>& radii, Check check) const {
        const auto& [ranks, in] = GetParam();
        ParticleSet all = models::uniform_cube(radii.size(), 2);
        all.set_region(in.region);
        add_numbers(all);
        for (const Search search : {Search::gather, Search::scatter, Search::symmetric}) {
            const Crowd crowd(all, radii, search);
            run_ranks(ranks, [&](Comm& comm) {
                Part part(comm, all, crowd);
                check(part, crowd);
            });
        }
    }
};
std::string name_of(const testing::TestParamInfo<std::tuple<int, NamedRegion>>& of) {
    const auto& [ranks, in] = of.param;
    return std::to_string(ranks) + '_' + in.name;
}
INSTANTIATE_TEST_SUITE_P(Ranks, NeighbourhoodOn,
                         testing::Combine(testing::Values(1, 2, 3, 5, 8), testing::ValuesIn(all_regions)), name_of);

TEST_P(NeighbourhoodOn, has_everyone_within_reach_once) {
    for_each_search(300, [](Part& part, const Crowd& crowd) { EXPECT_GT(part.expect_all_met_once(crowd), 0U); });
}

TEST_P(NeighbourhoodOn, has_everyone_who_has_come_within_reach_while_it_holds) {
    for_each_search(std::vector<double>(300, typical), [](Part& part, const Crowd& crowd) {
        Crowd later = crowd;
        models::Random random(3);
        for (auto& place : later.places) place += 0.45 * skin * typical * random.direction();
        for (std::size_t row = 0; row < part.own.size(); ++row)
            part.own[position][row] = later.places[static_cast<std::size_t>(part.own[number][row])];
        EXPECT_TRUE(part.holds());
        part.expect_all_met_once(later);
    });
}

TEST_P(NeighbourhoodOn, holds_as_long_as_two_may_have_come_nearer_by_less_than_the_skin) {
    for_each_search(300, [](Part& part, const Crowd& crowd) {
        // Whoever reaches the least may miss somebody first: the skin is a share of the reach.
        const auto least = std::ranges::min_element(crowd.radii) - crowd.radii.begin();
        const auto row = part.row_of(static_cast<double>(least));
        const double most = skin * crowd.radii[static_cast<std::size_t>(least)] / 2;
        EXPECT_TRUE(part.holds());
        if (row) part.own[position][*row] += {0.98 * most, 0, 0};
        EXPECT_TRUE(part.holds());
        if (row) part.own[position][*row] += {0.04 * most, 0, 0};
        EXPECT_FALSE(part.holds());
        if (row) part.own[position][*row] -= {1.02 * most, 0, 0};
        EXPECT_TRUE(part.holds());
    });
}

TEST_P(NeighbourhoodOn, holds_until_somebody_far_away_has_moved_by_the_skin_of_whoever_reaches_the_least) {
    for_each_search(300, [](Part& part, const Crowd& crowd) {
        const auto least = static_cast<std::size_t>(std::ranges::min_element(crowd.radii) - crowd.radii.begin());
        std::size_t farthest = 0;
        for (std::size_t who = 0; who < crowd.places.size(); ++who) {
            const auto away = [&](std::size_t k) {
                return dot(crowd.places[k] - crowd.places[least], crowd.places[k] - crowd.places[least]);
            };
            if (crowd.radii[who] > 0.3 * typical && away(who) > away(farthest)) farthest = who;
        }
        const auto row = part.row_of(static_cast<double>(farthest));
        if (row) part.own[position][*row].y += 0.98 * skin * crowd.radii[least];
        EXPECT_TRUE(part.holds());
        if (row) part.own[position][*row].y += 0.04 * skin * crowd.radii[least];
        EXPECT_FALSE(part.holds());
    });
}

TEST_P(NeighbourhoodOn, holds_when_all_move_alike) {
    for_each_search(300, [](Part& part, Crowd crowd) {
        for (auto& at : part.own[position]) at += {0.4, -0.3, 0.1};
        for (auto& at : crowd.places) at += {0.4, -0.3, 0.1};
        EXPECT_TRUE(part.holds());
        part.expect_all_met_once(crowd);
    });
}

TEST_P(NeighbourhoodOn, holds_until_a_reach_has_grown_by_the_skin) {
    for_each_search(300, [](Part& part, const Crowd&) {
        const auto row = part.row_of(17);
        if (row) part.radii[*row] *= 1 + 0.99 * skin;
        EXPECT_TRUE(part.holds());
        if (row) part.radii[*row] *= (1 + 1.01 * skin) / (1 + 0.99 * skin);
        EXPECT_FALSE(part.holds());
        if (row) part.radii[*row] *= 0.5;
        EXPECT_TRUE(part.holds());
    });
}

TEST_P(NeighbourhoodOn, is_that_of_few_particles_where_most_ranks_have_none) {
    for_each_search(3, [](Part& part, Crowd crowd) {
        part.expect_all_met_once(crowd);
        EXPECT_TRUE(part.holds());
        for (double& radius : part.radii) radius *= 1 + 2 * skin;
        EXPECT_FALSE(part.holds());
    });
}

TEST_P(NeighbourhoodOn, puts_ghosts_behind_the_own_particles) {
    for_each_search(300, [](Part& part, const Crowd&) {
        const SortedColumns columns = part.columns();
        ASSERT_EQ(columns.size(), part.own.size());
        EXPECT_EQ(columns.slots() > columns.size(), part.ranks.comm->size() > 1);
        for (std::size_t slot = 0; slot < columns.size(); ++slot)
            EXPECT_EQ(columns.component(4)[slot], part.own[mass][part.neighbourhood.tree().order()[slot]]);
        for (std::size_t slot = columns.size(); slot < columns.slots(); ++slot)
            EXPECT_FALSE(part.row_of(columns.component(3)[slot]));
    });
}

TEST_P(NeighbourhoodOn, knows_which_groups_meet_ghosts) {
    for_each_search(300, [](Part& part, const Crowd&) {
        const auto groups = part.neighbourhood.lists().groups();
        std::size_t meeting = 0;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            bool meets = false;
            for (const SlotRange& range : groups[g].ranges) meets = meets || range.end > part.own.size();
            EXPECT_EQ(part.neighbourhood.meets_ghosts(g), meets);
            meeting += meets ? 1 : 0;
        }
        EXPECT_EQ(meeting > 0, part.ranks.comm->size() > 1);
    });
}

TEST(NeighbourhoodOf, other_positions_than_the_present_has_them) {
    ParticleSet particles = models::uniform_cube(200, 1);
    add_numbers(particles);
    const Crowd crowd(particles, uneven_radii(200, typical), Search::gather);
    particles.add({"then", "", "", 3});
    std::copy_n(particles.column("position").values(), 600, particles.column("then").values());
    for (auto& at : particles[position]) at = 2.0 * at;
    Neighbourhood neighbourhood(Search::gather, 0, 32);
    Phases phases;
    neighbourhood.build(particles, "then", Radii(crowd.radii), nullptr, phases);
    EXPECT_FALSE(neighbourhood.holds(particles, Radii(crowd.radii), phases));
    std::copy_n(particles.column("then").values(), 600, particles.column("position").values());
    EXPECT_TRUE(neighbourhood.holds(particles, Radii(crowd.radii), phases));
}

}  // namespace
}  // namespace trellis
