#include "trellis/ranks/domain_tree.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>

namespace trellis {
namespace {

// What a set of ranks may be.
bool is_some_slabs_or_columns_or_domains(const Shape& shape, int first, int end) {
    const int slab = shape.slab_of(first), last_slab = shape.slab_of(end - 1);
    if (slab < last_slab) return shape.begin(slab) == first && shape.begin(last_slab + 1) == end;
    const int column = shape.column_of(first), last_column = shape.column_of(end - 1);
    if (column < last_column) return shape.begin(slab, column) == first && shape.begin(slab, last_column + 1) == end;
    return true;
}

TEST(DomainTree, halves_slabs_then_columns_then_domains) {
    for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 12, 17, 64, 101, 1000, 1009}) {
        const Shape shape = best_shape(ranks, {1, 1.5, 2});
        const auto nodes = domain_tree(shape);
        ASSERT_EQ(nodes.size(), 2 * static_cast<std::size_t>(ranks) - 1);
        EXPECT_EQ(nodes[0].first, 0);
        EXPECT_EQ(nodes[0].end, ranks);
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            const auto& [first, end, left, right] = nodes[k];
            EXPECT_TRUE(is_some_slabs_or_columns_or_domains(shape, first, end)) << first << " to " << end;
            EXPECT_EQ(left == -1, end - first == 1);
            EXPECT_EQ(right == -1, end - first == 1);
            if (left == -1) continue;
            ASSERT_GT(left, static_cast<int>(k));
            ASSERT_GT(right, left);
            const auto &below = nodes[static_cast<std::size_t>(left)], &above = nodes[static_cast<std::size_t>(right)];
            EXPECT_EQ(below.first, first);
            EXPECT_EQ(below.end, above.first);
            EXPECT_EQ(above.end, end);
        }
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

}  // namespace
}  // namespace trellis
