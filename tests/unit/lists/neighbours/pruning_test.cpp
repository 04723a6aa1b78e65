// Lists of clusters that are pruned after particles have moved, against comparisons of all pairs.
#include <gtest/gtest.h>

#include "trellis/lists/neighbours/neighbourhood.hpp"
#include "unit/lists/neighbours/expected_neighbours.hpp"
#include "unit/lists/neighbours/regions.hpp"
#include "unit/with_threads.hpp"

namespace trellis::pruning_test {

using namespace fields;

constexpr double skin = 0.5, pruned_skin = 0.1;

struct Moved {
    // One search radius for all, or one for each: then the larger one of two counts. step: most distance by which a
    // particle moves along each axis, beside the flow of all.
    Moved(std::size_t size, const Region& region, std::vector<double> radius, double step,
          const Vec3<double>& flow = {0, 0, 0})
        : particles(models::uniform_cube(size, 3)),
          search(radius.size() == 1 ? Search::gather : Search::symmetric),
          radius(std::move(radius)),
          neighbourhood(search, skin, 40) {
        particles.set_region(region);
        add_numbers(particles);
        neighbourhood.build(particles, Position::name, radii(), nullptr, phases);
        models::Random random(5);
        for (Vec3<double>& at : particles[position])
            for (std::size_t axis = 0; axis < 3; ++axis) at[axis] += flow[axis] + random.uniform(-step, step);
    }
    Radii radii() const { return Radii(radius); }
    // With search radii of this factor.
    Crowd crowd(double factor) const {
        std::vector<double> each(particles.size());
        for (std::size_t row = 0; row < each.size(); ++row) each[row] = factor * radii()[row];
        return {particles, each, search};
    }
    bool may_be_pruned() { return neighbourhood.may_be_pruned(particles, radii(), pruned_skin, phases); }
    void prune() { neighbourhood.prune(particles, Position::name, radii(), pruned_skin, phases); }
    // Position and number by slot.
    SortedColumns columns() const {
        SortedColumns columns;
        columns.gather(particles, std::vector<FieldInfo>{field_info<Position>(), field_info<Number>()},
                       neighbourhood.tree().order());
        return columns;
    }
    const GroupClusters& clusters(std::size_t group) { return neighbourhood.clusters(phases).groups()[group]; }

    ParticleSet particles;
    Search search;
    std::vector<double> radius;
    Phases phases;
    Neighbourhood neighbourhood;
};

// The least distance to one of a cluster's particles, the numbers first to end - 1, over the search radius of both.
double nearest(const std::vector<Listed>& listed, std::uint32_t first, std::uint32_t end, std::uint32_t other,
               const Crowd& crowd) {
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = first; i < end; ++i) {
        const Vec3<double> d = listed[other].at - listed[i].at;
        least = std::min(least, std::sqrt(dot(d, d)) / crowd.reach(listed[i].who, listed[other].who));
    }
    return least;
}

// EXPECTs that lists have all that is within the radius and the skin, and no more but by rounding. Returns how many.
std::size_t expect_pruned(Moved& moved) {
    const NeighbourLists& lists = moved.neighbourhood.lists();
    const SortedColumns columns = moved.columns();
    const Crowd wide = moved.crowd(1 + pruned_skin);
    std::size_t entries = 0;
    for (std::size_t g = 0; g < lists.groups().size(); ++g) {
        const NeighbourGroup& group = lists.groups()[g];
        const auto listed = listed_of(lists, group, columns);
        for (std::uint32_t first = 0; first < group.count; first += SearchTree::cluster_size) {
            const std::uint32_t end = std::min(first + SearchTree::cluster_size, group.count);
            const auto list = moved.clusters(g).list(first / SearchTree::cluster_size);
            EXPECT_TRUE(std::ranges::is_sorted(list));
            for (const std::uint32_t other : list) EXPECT_LT(nearest(listed, first, end, other, wide), 1 + 1e-5);
            const std::uint32_t own = first / SearchTree::block_size * SearchTree::block_size;
            for (std::uint32_t self = first; self < end; ++self)
                EXPECT_TRUE(found_in(listed, list, own, std::min(own + SearchTree::block_size, group.count), self,
                                     wide) == wide.neighbours_of(listed[self].who))
                    << listed[self].who;
            entries += list.size();
        }
    }
    return entries;
}

class PruningIn : public testing::TestWithParam<NamedRegion> {};
INSTANTIATE_TEST_SUITE_P(EachRegion, PruningIn, testing::ValuesIn(all_regions), testing::PrintToStringParamName());

TEST_P(PruningIn, LeavesWhatIsNearNow) {
    for (const auto& [size, radius, step] :
         {std::tuple{300, 0.12, 0.01}, {300, 0.12, 0.0}, {41, 0.5, 0.03}, {3, 1.2, 0.05}}) {
        SCOPED_TRACE(testing::Message() << size << " particles, radius " << radius);
        Moved moved(static_cast<std::size_t>(size), GetParam().region, {radius}, step);
        std::size_t before = 0, groups = moved.neighbourhood.lists().groups().size();
        for (std::size_t g = 0; g < groups; ++g) before += moved.clusters(g).entries.size();
        ASSERT_TRUE(moved.may_be_pruned());
        moved.prune();
        const std::size_t after = expect_pruned(moved);
        EXPECT_LE(after, before);
        // The pruned lists hold at the positions at which they were pruned, and not if particles come nearer by the
        // skin.
        EXPECT_TRUE(moved.neighbourhood.holds(moved.particles, moved.radii(), moved.phases));
        if (size < 100) continue;
        EXPECT_LT(after, before);
        for (Vec3<double>& at : moved.particles[position]) at.x += at.y < 0.5 ? 0.9 * pruned_skin * radius : 0;
        EXPECT_TRUE(moved.neighbourhood.holds(moved.particles, moved.radii(), moved.phases));
        for (Vec3<double>& at : moved.particles[position]) at.x += at.y < 0.5 ? 0.3 * pruned_skin * radius : 0;
        EXPECT_FALSE(moved.neighbourhood.holds(moved.particles, moved.radii(), moved.phases));
        ASSERT_TRUE(moved.may_be_pruned());
        moved.prune();
        expect_pruned(moved);
    }
}

TEST_P(PruningIn, IsByTheLargerSearchRadiusOfTwo) {
    for (const double step : {0.0, 0.005}) {
        Moved moved(300, GetParam().region, uneven_radii(300, 0.12), step);
        std::size_t before = 0;
        for (std::size_t g = 0; g < moved.neighbourhood.lists().groups().size(); ++g)
            before += moved.clusters(g).entries.size();
        moved.prune();
        EXPECT_LT(expect_pruned(moved), before);
        for (double& radius : moved.radius) radius *= 1 + 0.9 * pruned_skin;
        EXPECT_TRUE(moved.neighbourhood.pruned_suit(moved.radii(), moved.phases));
        moved.radius[8] *= 1 + 0.2 * pruned_skin;
        EXPECT_FALSE(moved.neighbourhood.pruned_suit(moved.radii(), moved.phases));
        moved.neighbourhood.widen();
        std::size_t widened = 0;
        for (std::size_t g = 0; g < moved.neighbourhood.lists().groups().size(); ++g)
            widened += moved.clusters(g).entries.size();
        EXPECT_EQ(widened, before);
    }
}

TEST(Pruning, IsRefusedWhereListsMayLackParticles) {
    EXPECT_TRUE(Moved(300, {}, {0.12}, 0.0).may_be_pruned());
    EXPECT_FALSE(Moved(300, {}, {0.12}, 0.04).may_be_pruned());
}

TEST(Pruning, FollowsAFlowOfAll) {
    Moved moved(300, {}, {0.12}, 0.01, {1e4, -2e3, 0});
    ASSERT_TRUE(moved.may_be_pruned());
    moved.prune();
    expect_pruned(moved);
}

TEST(Pruning, HasTheSameListsOnEachNumberOfThreads) {
    const auto entries = [] {
        Moved moved(300, all_regions[1].region, {0.12}, 0.01);
        moved.prune();
        std::vector<std::uint32_t> all;
        for (std::size_t g = 0; g < moved.neighbourhood.lists().groups().size(); ++g)
            for (std::uint32_t cluster = 0; cluster + 1 < moved.clusters(g).begins.size(); ++cluster)
                std::ranges::copy(moved.clusters(g).list(cluster), std::back_inserter(all));
        return all;
    };
    EXPECT_EQ(with_threads(1, entries), with_threads(3, entries));
}

}  // namespace trellis::pruning_test
