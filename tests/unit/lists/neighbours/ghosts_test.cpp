#include "trellis/lists/neighbours/ghosts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/forces/tree/shared_particles.hpp"
#include "unit/lists/neighbours/expected_neighbours.hpp"
#include "unit/lists/neighbours/regions.hpp"

namespace trellis::ghosts_test {

using namespace fields;

const std::vector<FieldInfo> read{field_info<Position>(), field_info<Number>()};

ParticleSet numbered_cube(std::size_t size, const Region& region) {
    ParticleSet all = models::uniform_cube(size, 2);
    all.set_region(region);
    add_numbers(all);
    return all;
}

// The particles of one rank, with their numbers as ids, and their ghosts.
struct Part {
    Part(Comm& comm, const ParticleSet& all, const Crowd& crowd, double skin)
        : own(share_of(all, cut_of(all, comm.size()), comm.rank())) {
        for (const double who : own[number]) radii.push_back(crowd.radii[static_cast<std::size_t>(who)]);
        Phases phases;
        tree.build(own[position], Radii(radii), 32, phases);
        ghosts.find(comm, tree, crowd.search, skin, all.region());
        columns.gather(own, read, tree.order());
    }

    // Position and number of the ghosts.
    std::vector<std::vector<double>> values(Comm& comm) const {
        const auto exchange = ghosts.begin(comm, columns, 4);
        return Ghosts::finish(*exchange, 4);
    }

    ParticleSet own;
    std::vector<double> radii;
    SearchTree tree;
    SortedColumns columns;
    Ghosts ghosts;
};

NeighbourImage image_of(const Crowd& crowd, std::size_t who, const Vec3<double>& at) {
    NeighbourImage image{who, {}};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (crowd.region.periodic(axis))
            image.periods[axis] = static_cast<int>(std::lround((at - crowd.positions[who])[axis] / crowd.period(axis)));
    return image;
}

class GhostsOn : public testing::TestWithParam<std::tuple<int, NamedRegion>> {
  protected:
    template <class Check>
    void for_each_trial(std::size_t size, Check check) const {
        const auto& [ranks, in] = GetParam();
        const ParticleSet all = numbered_cube(size, in.region);
        for (const Search search : {Search::gather, Search::scatter, Search::symmetric}) {
            const Crowd crowd(all, uneven_radii(size, 0.12), search);
            run_ranks(ranks, [&](Comm& comm) { check(comm, all, crowd); });
        }
    }
};
std::string name_of(const testing::TestParamInfo<std::tuple<int, NamedRegion>>& of) {
    const auto& [ranks, in] = of.param;
    return std::to_string(ranks) + '_' + in.name;
}
INSTANTIATE_TEST_SUITE_P(Ranks, GhostsOn,
                         testing::Combine(testing::Values(1, 2, 3, 5, 8), testing::ValuesIn(all_regions)), name_of);

TEST_P(GhostsOn, are_all_within_reach_each_image_once) {
    for_each_trial(300, [](Comm& comm, const ParticleSet& all, Crowd crowd) {
        constexpr double skin = 0.2;
        const Part part(comm, all, crowd, skin);
        for (double& radius : crowd.radii) radius *= 1 + skin;
        const auto values = part.values(comm);
        ASSERT_EQ(values[3].size(), part.ghosts.positions().size());
        std::map<NeighbourImage, int> ghosts;
        for (std::size_t g = 0; g < values[3].size(); ++g)
            ++ghosts[image_of(crowd, static_cast<std::size_t>(values[3][g]), part.ghosts.positions()[g])];
        for (const auto& [image, times] : ghosts) EXPECT_EQ(times, 1);
        std::set<std::size_t> local;
        for (const double who : part.own[number]) local.insert(static_cast<std::size_t>(who));
        std::set<NeighbourImage> needed;
        for (const std::size_t i : local)
            for (const NeighbourImage& image : crowd.neighbours_of(i))
                if (!local.contains(image.who)) needed.insert(image);
        for (const NeighbourImage& image : needed)
            EXPECT_EQ(ghosts.count(image), 1U) << "on rank " << comm.rank() << ' ' << image.who;
        for (const auto& [image, times] : ghosts) EXPECT_FALSE(local.contains(image.who));
        EXPECT_EQ(needed.empty(), comm.size() == 1);
    });
}

TEST_P(GhostsOn, do_not_lie_beyond_the_farthest_reach) {
    for_each_trial(300, [](Comm& comm, const ParticleSet& all, const Crowd& crowd) {
        const Part part(comm, all, crowd, 0.2);
        if (part.own.size() == 0) return;
        const Zone& local = part.tree.zone(0);
        for (std::size_t g = 0; g < part.ghosts.positions().size(); ++g) {
            const Vec3<double> at = part.ghosts.positions()[g];
            const double reach = 1.2 * reach_of(crowd.search, local.radius, part.ghosts.radii()[g]);
            EXPECT_LE(std::sqrt(gap2(local.bounds, {at, at})), reach * (1 + 1e-12));
        }
    });
}

TEST_P(GhostsOn, know_how_far_they_reach) {
    for_each_trial(200, [](Comm& comm, const ParticleSet& all, const Crowd& crowd) {
        const Part part(comm, all, crowd, 0);
        const auto values = part.values(comm);
        for (std::size_t g = 0; g < values[3].size(); ++g)
            EXPECT_EQ(part.ghosts.radii()[g], crowd.radii[static_cast<std::size_t>(values[3][g])]);
    });
}

TEST_P(GhostsOn, follow_when_particles_move) {
    for_each_trial(200, [](Comm& comm, const ParticleSet& all, const Crowd& crowd) {
        Part part(comm, all, crowd, 0.2);
        const auto moved = [&](std::size_t who) {
            const auto k = static_cast<double>(who);
            return crowd.positions[who] + Vec3<double>{0.01 * std::sin(k), 0.02 * std::cos(k), 0.01};
        };
        for (std::size_t row = 0; row < part.own.size(); ++row) {
            auto& who = part.own[number][row];
            part.own[position][row] = moved(static_cast<std::size_t>(who));
            who += 1000;
        }
        part.columns.gather(part.own, read, part.tree.order());
        const auto values = part.values(comm);
        for (std::size_t g = 0; g < values[3].size(); ++g) {
            const auto who = static_cast<std::size_t>(values[3][g] - 1000);
            const Vec3<double> by = part.ghosts.positions()[g] - crowd.positions[who];
            for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(values[axis][g], (moved(who) + by)[axis], 1e-14);
        }
    });
}

TEST_P(GhostsOn, are_replaced_when_they_are_found_again) {
    for_each_trial(200, [](Comm& comm, const ParticleSet& all, const Crowd& crowd) {
        Part part(comm, all, crowd, 0.5);
        const Part fresh(comm, all, crowd, 0);
        part.ghosts.find(comm, part.tree, crowd.search, 0, all.region());
        EXPECT_TRUE(std::ranges::equal(part.ghosts.positions(), fresh.ghosts.positions()));
        EXPECT_EQ(part.values(comm), fresh.values(comm));
    });
}

TEST_P(GhostsOn, are_not_sent_to_ranks_without_particles) {
    for_each_trial(3, [](Comm& comm, const ParticleSet& all, const Crowd& crowd) {
        const Part part(comm, all, crowd, 0);
        const auto values = part.values(comm);
        if (part.own.size() == 0) {
            EXPECT_TRUE(values[3].empty());
        }
    });
}

}  // namespace trellis::ghosts_test
