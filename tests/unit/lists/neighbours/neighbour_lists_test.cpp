#include "trellis/lists/neighbours/neighbour_lists.hpp"

#include <gtest/gtest.h>

#include <set>

#include "trellis/devices/cpu_device.hpp"
#include "trellis/lists/neighbours/device/list_request.hpp"
#include "unit/lists/neighbours/expected_neighbours.hpp"
#include "unit/lists/neighbours/regions.hpp"
#include "unit/with_threads.hpp"

namespace trellis::neighbour_lists_test {

using namespace fields;

constexpr std::size_t room = std::size_t{1} << 28;  // memory of a device, in bytes
constexpr Search all_searches[] = {Search::gather, Search::scatter, Search::symmetric};

ParticleSet in_a_plane(std::size_t size, std::uint64_t seed) {
    ParticleSet particles = models::uniform_cube(size, seed);
    for (auto& at : particles[position]) at.z = 0;
    return particles;
}

constexpr models::Model flat_model{"in_a_plane", in_a_plane};

struct Trial {
    // by: the device that makes the lists; null: the host.
    Trial(ParticleSet set, double typical, Search how, double skin_, std::uint32_t group_size,
          const std::shared_ptr<Device>& by = nullptr)
        : particles(std::move(set)), crowd(particles, uneven_radii(particles.size(), typical), how), skin(skin_) {
        Phases phases;
        add_numbers(particles);
        tree.build(particles[position], Radii(crowd.radii), group_size, phases);
        if (by == nullptr) {
            lists.make(tree, SearchTree(), how, skin, particles.region(), phases, &clusters);
        } else {
            ListRequest request(by);
            request.send(tree, SearchTree(), how, skin, particles.region(), phases);
            lists = request.receive(phases);
            clusters.make(lists, tree, SearchTree(), how, skin, phases);
        }
        columns.gather(particles, std::vector<FieldInfo>{field_info<Position>(), field_info<Number>()}, tree.order());
    }

    ParticleSet particles;
    Crowd crowd;
    double skin;
    SearchTree tree;
    NeighbourLists lists;
    ClusterLists clusters;
    SortedColumns columns;
};

// Calls check(list, first, end) for each cluster of a group: its list, and the numbers of its particles.
template <class Check>
void for_each_cluster(const NeighbourGroup& group, const GroupClusters& clusters, Check check) {
    constexpr std::uint32_t size = SearchTree::cluster_size;
    ASSERT_EQ(clusters.begins.size(), (group.count + size - 1) / size + 1);
    for (std::uint32_t first = 0; first < group.count; first += size)
        check(clusters.list(first / size), first, std::min(first + size, group.count));
}

class NeighbourListsOf : public testing::TestWithParam<std::tuple<models::Model, NamedRegion>> {
  protected:
    // Search radii of a tenth of the box, of more than half of it, and beyond it.
    template <class Check>
    void for_each_trial(Check check) const {
        const auto& [model, in] = GetParam();
        for (const auto& [size, typical, group_size] :
             {std::tuple{250, 0.08, 64U}, {40, 0.6, 20U}, {9, 1.4, 4U}, {1, 1.4, 4U}})
            for (const Search search : all_searches)
                for (const double skin : {0.0, 0.3}) {
                    SCOPED_TRACE(testing::Message()
                                 << size << " particles, search " << static_cast<int>(search) << ", skin " << skin);
                    ParticleSet particles = model.make(static_cast<std::size_t>(size), 3);
                    particles.set_region(in.region);
                    ParticleSet same = model.make(static_cast<std::size_t>(size), 3);
                    same.set_region(in.region);
                    check(Trial(std::move(particles), typical, search, skin, group_size));
                    SCOPED_TRACE("by a device");
                    check(Trial(std::move(same), typical, search, skin, group_size, make_cpu_device(room, 2)));
                }
    }
};
std::string name_of(const testing::TestParamInfo<std::tuple<models::Model, NamedRegion>>& of) {
    const auto& [model, in] = of.param;
    return std::string(model.name) + '_' + in.name;
}
INSTANTIATE_TEST_SUITE_P(all, NeighbourListsOf,
                         testing::Combine(testing::Values(models::all_models[0], models::all_models[3],
                                                          models::all_models[5], models::all_models[6],
                                                          models::all_models[7], flat_model),
                                          testing::ValuesIn(all_regions)),
                         name_of);

TEST_P(NeighbourListsOf, have_each_particle_within_reach_once) {
    for_each_trial([](const Trial& trial) {
        const std::size_t pairs = expect_all_listed_once(trial.lists, trial.columns, trial.crowd);
        EXPECT_TRUE(pairs > 0 || trial.particles.size() == 1);
    });
}

TEST_P(NeighbourListsOf, have_each_particle_within_reach_and_skin_once) {
    for_each_trial([](const Trial& trial) {
        Crowd wider = trial.crowd;
        for (double& radius : wider.radii) radius *= (1 + trial.skin) * (1 - 1e-9);
        expect_all_listed_once(trial.lists, trial.columns, wider);
    });
}

TEST_P(NeighbourListsOf, have_no_particle_farther_from_a_block) {
    for_each_trial([](const Trial& trial) {
        const auto leaves = trial.tree.leaves();
        ASSERT_EQ(trial.lists.groups().size(), leaves.size());
        for (std::size_t g = 0; g < leaves.size(); ++g) {
            const NeighbourGroup& group = trial.lists.groups()[g];
            const auto listed = listed_of(trial.lists, group, trial.columns);
            for (std::uint32_t b = 0; b < group.blocks(); ++b)
                for (const std::uint32_t j : group.list(b)) {
                    const Zone& block = trial.tree.block(leaves[g], b);
                    const double reach =
                        (1 + trial.skin) * reach_of(trial.crowd.search, block.radius, trial.crowd.radii[listed[j].who]);
                    EXPECT_LE(std::sqrt(gap2(block.bounds, {listed[j].at, listed[j].at})), reach * (1 + 1e-5));
                }
        }
    });
}

// A cluster lists what its block does within reach of one of its particles, and nothing else but for rounding.
TEST_P(NeighbourListsOf, have_for_each_cluster_what_is_near_it) {
    for_each_trial([](const Trial& trial) {
        ASSERT_EQ(trial.clusters.made_of(), trial.lists.number());
        ASSERT_EQ(trial.clusters.groups().size(), trial.lists.groups().size());
        for (std::size_t g = 0; g < trial.lists.groups().size(); ++g) {
            const NeighbourGroup& group = trial.lists.groups()[g];
            const auto listed = listed_of(trial.lists, group, trial.columns);
            const auto near = [&](std::uint32_t i, std::uint32_t j, double rounding) {
                const Vec3<double> d = listed[j].at - listed[i].at;
                const double reach =
                    (1 + trial.skin) * (1 + rounding) * trial.crowd.reach(listed[i].who, listed[j].who);
                return dot(d, d) < reach * reach;
            };
            for_each_cluster(group, trial.clusters.groups()[g], [&](auto list, auto first, auto end) {
                const auto of_block = group.list(first / SearchTree::block_size);
                EXPECT_TRUE(std::ranges::is_sorted(list, std::less_equal()));
                EXPECT_TRUE(std::ranges::includes(of_block, list));
                for (const std::uint32_t j : of_block) {
                    const auto near_one = [&](double rounding) {
                        bool any = false;
                        for (std::uint32_t i = first; i < end; ++i) any = any || near(i, j, rounding);
                        return any;
                    };
                    const bool has = std::ranges::binary_search(list, j);
                    EXPECT_TRUE(has || !near_one(-1e-9));
                    EXPECT_TRUE(!has || near_one(2e-5));
                }
            });
        }
    });
}

TEST_P(NeighbourListsOf, list_each_number_once_and_none_of_the_block_itself) {
    for_each_trial([](const Trial& trial) {
        for (const NeighbourGroup& group : trial.lists.groups())
            for (std::uint32_t b = 0; b < group.blocks(); ++b) {
                std::set<std::uint32_t> numbers;
                for (const std::uint32_t j : group.list(b)) {
                    EXPECT_LT(j, group.j_count);
                    EXPECT_TRUE(j >= group.count || j / SearchTree::block_size != b);
                    EXPECT_TRUE(numbers.insert(j).second);
                }
            }
    });
}

TEST_P(NeighbourListsOf, are_for_each_slot_once) {
    for_each_trial([](const Trial& trial) {
        std::uint32_t next = 0;
        for (const NeighbourGroup& group : trial.lists.groups()) {
            EXPECT_EQ(group.first, next);
            next += group.count;
        }
        EXPECT_EQ(next, trial.particles.size());
    });
}

TEST(NeighbourListsFor, no_particles_are_empty) {
    const Trial trial(ParticleSet(0), 1, Search::gather, 0, 16);
    EXPECT_TRUE(trial.lists.groups().empty());
}

TEST(NeighbourListsFor, particles_of_different_scales_are_few) {
    const Trial trial(models::uniform_cube(4000, 1), 0.05, Search::gather, 0.1, 128);
    std::size_t entries = 0;
    for (const NeighbourGroup& group : trial.lists.groups()) entries += group.entries.size();
    EXPECT_LT(entries, trial.particles.size() / SearchTree::block_size * 200);
}

// At the density of a liquid, and its cutoff.
TEST(NeighbourListsFor, clusters_have_fewer_than_half_of_those_of_a_block) {
    ParticleSet particles = models::uniform_cube(4000, 1);
    particles.set_region({{-1, -1, -1}, {1, 1, 1}});
    const double radius = 2.5 * std::cbrt(8 / (4000 / 0.8442));
    const Trial trial(std::move(particles), radius, Search::gather, 0.1, 128);
    double of_blocks = 0, of_clusters = 0;  // pairs
    for (const NeighbourGroup& group : trial.lists.groups())
        of_blocks += static_cast<double>(group.entries.size()) * SearchTree::block_size;
    for (const GroupClusters& group : trial.clusters.groups())
        of_clusters += static_cast<double>(group.entries.size()) * SearchTree::cluster_size;
    EXPECT_LT(of_clusters, 0.5 * of_blocks);
}

TEST(NeighbourListsFor, any_number_of_threads_are_the_same) {
    ParticleSet particles = models::uniform_cube(3000, 1);
    particles.set_region(all_regions[1].region);
    const auto trial_on = [&](int threads) {
        return with_threads(threads, [&] {
            ParticleSet copy = models::uniform_cube(3000, 1);
            copy.set_region(particles.region());
            return Trial(std::move(copy), 0.05, Search::symmetric, 0.1, 128);
        });
    };
    const Trial one = trial_on(1), many = trial_on(4);
    ASSERT_EQ(one.lists.groups().size(), many.lists.groups().size());
    for (std::size_t g = 0; g < one.lists.groups().size(); ++g) {
        EXPECT_EQ(one.lists.groups()[g].entries, many.lists.groups()[g].entries);
        EXPECT_EQ(one.lists.groups()[g].begins, many.lists.groups()[g].begins);
        EXPECT_EQ(one.clusters.groups()[g].entries, many.clusters.groups()[g].entries);
    }
}

}  // namespace trellis::neighbour_lists_test
