#include "trellis/tree/tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "trellis/tree/morton.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::tree_test {

using namespace fields;

Tree tree_of(const ParticleSet& particles, std::uint32_t leaf_size) {
    Tree tree;
    Phases phases;
    tree.build(particles[position], leaf_size, phases);
    return tree;
}

// The key of the particle in a sorted slot, and its finer key.
struct Keys {
    std::uint64_t key, finer;
    friend auto operator<=>(const Keys&, const Keys&) = default;
};
Keys keys_of(const Tree& tree, const ParticleSet& particles, std::uint32_t slot) {
    const KeyMaker key(tree.root_box());
    const Vec3<double>& at = particles[position][tree.order()[slot]];
    return {key(at), key.finer(at)};
}

int shared_bits(const Keys& a, const Keys& b) {
    const auto of = [](std::uint64_t x, std::uint64_t y) { return std::countl_zero(x ^ y) - (64 - key_bits); };
    return a.key != b.key ? of(a.key, b.key) : key_bits + of(a.finer, b.finer);
}

class TreeOfModel : public testing::TestWithParam<models::Model> {
  protected:
    static constexpr std::uint32_t leaf_size_ = 8;
    ParticleSet particles_ = GetParam().make(3001, 2);
    Tree tree_ = tree_of(particles_, leaf_size_);
};
INSTANTIATE_TEST_SUITE_P(models, TreeOfModel, testing::ValuesIn(models::all_models), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(wide_models, TreeOfModel, testing::Values(models::Model{"one_far_away", models::one_far_away}),
                         testing::PrintToStringParamName());

TEST_P(TreeOfModel, order_holds_every_row_once_along_the_curve) {
    const auto order = tree_.order();
    EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), particles_.size());
    for (std::uint32_t slot = 1; slot < order.size(); ++slot) {
        const Keys before = keys_of(tree_, particles_, slot - 1), here = keys_of(tree_, particles_, slot);
        EXPECT_LE(before.key, here.key) << "slot " << slot;
        if (before == here) {
            EXPECT_LT(order[slot - 1], order[slot]) << "slot " << slot;
        }
    }
}

TEST_P(TreeOfModel, leaves_hold_every_particle_once) {
    std::vector<int> visits(particles_.size(), 0);
    for (const Cell& cell : tree_.cells())
        if (cell.is_leaf())
            for (std::uint32_t slot = cell.first; slot < cell.end(); ++slot) ++visits[slot];
    EXPECT_EQ(visits, std::vector<int>(particles_.size(), 1));
}

TEST_P(TreeOfModel, children_part_their_parent_and_come_later) {
    const auto cells = tree_.cells();
    EXPECT_EQ(cells[0].first, 0U);
    EXPECT_EQ(cells[0].count, particles_.size());
    for (std::uint32_t c = 0; c < cells.size(); ++c) {
        if (cells[c].is_leaf()) continue;
        ASSERT_GT(cells[c].child, c);
        ASSERT_LT(cells[c].child + 1, cells.size());
        const Cell &left = cells[cells[c].child], &right = cells[cells[c].child + 1];
        EXPECT_EQ(left.first, cells[c].first);
        EXPECT_EQ(left.end(), right.first);
        EXPECT_EQ(right.end(), cells[c].end());
        EXPECT_GT(left.count, 0U);
        EXPECT_GT(right.count, 0U);
    }
}

TEST_P(TreeOfModel, a_cell_holds_the_particles_that_share_the_first_bits_of_the_key) {
    for (const Cell& cell : tree_.cells()) {
        const int shared =
            shared_bits(keys_of(tree_, particles_, cell.first), keys_of(tree_, particles_, cell.end() - 1));
        const bool of_coarse_keys = cell.depth <= key_bits && cell.is_leaf();
        EXPECT_EQ(cell.depth, of_coarse_keys ? std::min(shared, key_bits) : shared);
    }
}

TEST_P(TreeOfModel, leaves_are_no_larger_than_requested_except_for_equal_positions) {
    for (const Cell& cell : tree_.cells()) {
        const bool one_key = keys_of(tree_, particles_, cell.first) == keys_of(tree_, particles_, cell.end() - 1);
        EXPECT_EQ(cell.is_leaf(), cell.count <= leaf_size_ || one_key);
    }
}

TEST_P(TreeOfModel, side_holds_the_particles) {
    for (const Cell& cell : tree_.cells()) {
        const double side = tree_.side(cell) * (1 + 1e-9);
        const Vec3<double> origin = particles_[position][tree_.order()[cell.first]];
        for (std::uint32_t slot = cell.first; slot < cell.end(); ++slot) {
            const Vec3<double> apart = particles_[position][tree_.order()[slot]] - origin;
            for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_LE(std::abs(apart[axis]), side);
        }
    }
}

TEST_P(TreeOfModel, levels_begin_where_their_cells_do) {
    const auto levels = tree_.levels();
    const auto cells = tree_.cells();
    ASSERT_EQ(levels.front(), 0U);
    ASSERT_EQ(levels.back(), cells.size());
    for (std::size_t level = 0; level + 1 < levels.size(); ++level)
        for (std::uint32_t c = levels[level]; c < levels[level + 1]; ++c) {
            if (cells[c].is_leaf()) continue;
            EXPECT_GE(cells[c].child, levels[level + 1]);
            EXPECT_LT(cells[c].child + 1, levels[level + 2]);
        }
}

TEST_P(TreeOfModel, is_the_same_for_any_number_of_threads) {
    for (const int threads : {1, 2, 3}) {
        const Tree other = with_threads(threads, [&] { return tree_of(particles_, leaf_size_); });
        EXPECT_TRUE(std::ranges::equal(other.order(), tree_.order()));
        EXPECT_TRUE(std::ranges::equal(other.levels(), tree_.levels()));
        EXPECT_TRUE(std::ranges::equal(other.cells(), tree_.cells(), [](const Cell& a, const Cell& b) {
            return a.first == b.first && a.count == b.count && a.child == b.child && a.depth == b.depth;
        }));
    }
}

TEST(Tree, of_no_particles_has_no_cells) {
    const Tree tree = tree_of(ParticleSet(0), 8);
    EXPECT_TRUE(tree.cells().empty());
    EXPECT_TRUE(tree.order().empty());
}

TEST(Tree, of_one_particle_is_a_leaf) {
    const Tree tree = tree_of(models::uniform_cube(1, 1), 8);
    ASSERT_EQ(tree.cells().size(), 1U);
    EXPECT_TRUE(tree.cells()[0].is_leaf());
    EXPECT_EQ(tree.cells()[0].count, 1U);
}

TEST(Tree, equal_positions_stay_in_one_leaf) {
    const Tree tree = tree_of(models::one_place(100, 1), 8);
    ASSERT_EQ(tree.cells().size(), 1U);
    EXPECT_EQ(tree.cells()[0].count, 100U);
}

TEST(Tree, two_positions_are_two_leaves_at_any_extent) {
    for (const double extent : {1e-30, 1e-10, 1.0, 1e10, 1e30}) {
        ParticleSet particles(20);
        for (std::size_t row = 0; row < 20; ++row) particles[position][row] = {row % 2 == 0 ? -extent : extent, 0, 0};
        const Tree tree = tree_of(particles, 8);
        ASSERT_EQ(tree.cells().size(), 3U) << extent;
        EXPECT_EQ(tree.cells()[1].count, 10U);
    }
}

TEST(Tree, a_particle_far_away_leaves_leaves_small) {
    const Tree tree = tree_of(models::one_far_away(3000, 1), 8);
    for (const Cell& cell : tree.cells()) EXPECT_TRUE(!cell.is_leaf() || cell.count <= 8);
    EXPECT_NEAR(static_cast<double>(tree.local_cells()),
                static_cast<double>(tree_of(models::plummer(3000, 1), 8).local_cells()), 200);
}

TEST(Tree, can_be_built_again) {
    Phases phases;
    Tree tree;
    const ParticleSet many = models::plummer(2000, 1), few = models::plummer(50, 1);
    tree.build(many[position], 8, phases);
    tree.build(few[position], 8, phases);
    EXPECT_EQ(tree.order().size(), 50U);
    EXPECT_EQ(tree.cells()[0].count, 50U);
    EXPECT_EQ(tree.cells().size(), tree_of(few, 8).cells().size());
}

}  // namespace trellis::tree_test
