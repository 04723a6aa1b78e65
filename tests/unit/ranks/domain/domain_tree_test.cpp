#include "trellis/ranks/domain/domain_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

namespace trellis::domain_tree_test {

// The ranks of a node, in the order of the leaves.
std::vector<int> ranks_of(const std::vector<DomainNode>& nodes, int node) {
    const DomainNode& at = nodes[static_cast<std::size_t>(node)];
    if (at.left < 0) return {at.owner};
    std::vector<int> all = ranks_of(nodes, at.left);
    for (const int rank : ranks_of(nodes, at.right)) all.push_back(rank);
    return all;
}

TEST(DomainTree, has_each_rank_once_and_no_owner_of_two_nodes_above) {
    for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 12, 17, 64, 101, 1000, 1009}) {
        const auto nodes = domain_tree(best_shape(ranks, {1, 1.5, 2}));
        ASSERT_EQ(nodes.size(), 2 * static_cast<std::size_t>(ranks) - 1);
        std::vector<int> leaves = ranks_of(nodes, 0), owners;
        std::ranges::sort(leaves);
        for (int rank = 0; rank < ranks; ++rank) ASSERT_EQ(leaves[static_cast<std::size_t>(rank)], rank);
        for (int node = 0; node < static_cast<int>(nodes.size()); ++node) {
            const auto& [owner, left, right] = nodes[static_cast<std::size_t>(node)];
            EXPECT_EQ(left == -1, right == -1);
            if (left == -1) continue;
            EXPECT_EQ(left, node + 1);
            EXPECT_GT(right, left);
            EXPECT_EQ(owner, ranks_of(nodes, left).back());
            owners.push_back(owner);
        }
        std::ranges::sort(owners);
        EXPECT_EQ(std::ranges::adjacent_find(owners), owners.end());
    }
}

// A tree of 16 x 16 x 16 domains; the sides of a node are the slabs, columns and domains that it spans.
TEST(DomainTree, has_nodes_like_cubes) {
    const Shape shape{4096, 16, 16};
    const auto nodes = domain_tree(shape);
    for (int node = 0; node < static_cast<int>(nodes.size()); ++node) {
        int low[3] = {16, 16, 16}, high[3] = {-1, -1, -1};
        const auto ranks = ranks_of(nodes, node);
        for (const int rank : ranks) {
            const int place[] = {rank / 256, rank / 16 % 16, rank % 16};
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = std::min(low[axis], place[axis]);
                high[axis] = std::max(high[axis], place[axis]);
            }
        }
        int sides[3], volume = 1;
        for (int axis = 0; axis < 3; ++axis) volume *= sides[axis] = high[axis] - low[axis] + 1;
        EXPECT_EQ(volume, static_cast<int>(ranks.size()));
        EXPECT_LE(*std::max_element(sides, sides + 3), 2 * *std::min_element(sides, sides + 3));
    }
}

TEST(DomainTree, is_as_deep_as_halving_needs) {
    for (int ranks = 1; ranks < 1100; ++ranks) {
        const auto nodes = domain_tree(best_shape(ranks, {1, 1, 1}));
        const std::function<int(int)> levels = [&](int node) {
            if (node == -1) return 0;
            const DomainNode& at = nodes[static_cast<std::size_t>(node)];
            return 1 + std::max(levels(at.left), levels(at.right));
        };
        EXPECT_LE(levels(0), std::bit_width(static_cast<unsigned>(ranks)) + 3) << ranks;
    }
}

}  // namespace trellis::domain_tree_test
