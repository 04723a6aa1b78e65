// Lists requested from a device: the cases that the general tests of lists (neighbour_lists_test.cpp) do not contain.
#include "trellis/lists/neighbours/device/list_request.hpp"

#include <gtest/gtest.h>

#include "trellis/devices/cpu_device.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/lists/neighbours/expected_neighbours.hpp"

namespace trellis::list_request_test {

constexpr std::size_t room = std::size_t{1} << 28;

SearchTree tree_of(const ParticleSet& particles, double radius) {
    Phases phases;
    SearchTree tree;
    tree.build(particles[position], Radii({&radius, 1}), 64, phases);
    return tree;
}

NeighbourLists by_host(const SearchTree& own, const SearchTree& ghosts) {
    Phases phases;
    NeighbourLists lists;
    lists.make(own, ghosts, Search::symmetric, 0.1, Region(), phases);
    return lists;
}

NeighbourLists by_device(ListRequest& request, const SearchTree& own, const SearchTree& ghosts) {
    Phases phases;
    request.send(own, ghosts, Search::symmetric, 0.1, Region(), phases);
    return request.receive(phases);
}

// Rounding may add or omit a number far beyond the search radius, but not in this test.
void expect_same(const NeighbourLists& a, const NeighbourLists& b) {
    ASSERT_EQ(a.groups().size(), b.groups().size());
    for (std::size_t g = 0; g < a.groups().size(); ++g) {
        EXPECT_EQ(a.groups()[g].first, b.groups()[g].first);
        EXPECT_EQ(a.groups()[g].count, b.groups()[g].count);
        EXPECT_EQ(a.groups()[g].centre, b.groups()[g].centre);
        EXPECT_EQ(a.groups()[g].j_count, b.groups()[g].j_count);
        EXPECT_EQ(a.groups()[g].begins, b.groups()[g].begins);
        EXPECT_EQ(a.groups()[g].entries, b.groups()[g].entries);
    }
}

TEST(ListRequest, lists_ghosts_after_local_particles) {
    const SearchTree own = tree_of(models::uniform_cube(700, 1), 0.1);
    const SearchTree ghosts = tree_of(models::uniform_cube(300, 2), 0.15);
    ListRequest request(make_cpu_device(room, 2));
    const NeighbourLists lists = by_device(request, own, ghosts);
    expect_same(lists, by_host(own, ghosts));
    EXPECT_TRUE(std::ranges::any_of(lists.groups(), [&](const NeighbourGroup& group) {
        return !group.ranges.empty() && group.ranges.back().first >= own.size();
    }));
}

// More than the first room, and than is downloaded with the search.
TEST(ListRequest, searches_again_if_more_is_found_than_there_is_room_for) {
    ListRequest request(make_cpu_device(room, 2));
    for (const double radius : {0.05, 2.0, 0.3, 2.0}) {
        const SearchTree tree = tree_of(models::uniform_cube(1500, 1), radius);
        expect_same(by_device(request, tree, SearchTree()), by_host(tree, SearchTree()));
    }
}

TEST(ListRequest, gives_each_result_a_different_number) {
    ListRequest request(make_cpu_device(room, 2));
    const SearchTree tree = tree_of(models::uniform_cube(100, 1), 0.2);
    const auto first = by_device(request, tree, SearchTree()).number();
    EXPECT_NE(by_device(request, tree, SearchTree()).number(), first);
    EXPECT_TRUE(by_device(request, SearchTree(), SearchTree()).groups().empty());
}

TEST(ListRequest, refuses_lists_with_invalid_numbers) {
    ListRequest request(std::make_shared<FaultyDevice>(Fault::wrong, 1));
    const SearchTree tree = tree_of(models::uniform_cube(100, 1), 0.2);
    EXPECT_THROW(by_device(request, tree, SearchTree()), DeviceError);
}

}  // namespace trellis::list_request_test
