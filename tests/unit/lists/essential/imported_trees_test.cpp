#include "trellis/lists/essential/imported_trees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "unit/particle_models.hpp"

namespace trellis::imported_trees_test {

constexpr std::size_t components = 5, moment_bytes = 12;

// A random shape of at most most_inner inner cells; all cells of all shapes have different sizes.
EssentialShape random_shape(models::Random& random, std::size_t most_inner, double first_size) {
    EssentialShape shape;
    std::size_t wanted = 1;
    for (std::size_t inner = 0; shape.kinds.size() < wanted;) {
        const bool divide = inner < most_inner && random.uniform(0, 1) < 0.7;
        const CellKind kind = divide ? CellKind::inner : random.uniform(0, 1) < 0.5 ? CellKind::leaf : CellKind::closed;
        if (kind == CellKind::inner) ++inner, wanted += 2;
        if (kind == CellKind::leaf) shape.leaf_counts.push_back(1 + static_cast<std::uint32_t>(random.bits() % 9));
        shape.sizes.push_back(first_size + static_cast<double>(shape.kinds.size()));
        shape.kinds.push_back(kind);
    }
    return shape;
}

struct Joined {
    explicit Joined(std::vector<EssentialShape> of) : shapes(std::move(of)) {
        imported = make_imported_cells(shapes, components, moment_bytes, trees);
    }
    std::vector<EssentialShape> shapes;
    std::vector<ImportedTree> trees;
    ImportedCells imported;
};

class ImportedTrees : public testing::TestWithParam<int> {
  protected:
    static Joined joined() {
        models::Random random(static_cast<std::uint64_t>(GetParam()));
        std::vector<EssentialShape> shapes;
        for (int t = 0; t < GetParam(); ++t) shapes.push_back(random_shape(random, random.bits() % 40, 1e4 * t));
        return Joined(std::move(shapes));
    }
};
INSTANTIATE_TEST_SUITE_P(of, ImportedTrees, testing::Values(1, 2, 3, 10, 33));

TEST_P(ImportedTrees, number_every_cell_once) {
    const Joined made = joined();
    std::vector<std::uint32_t> numbers, expected(made.imported.cells.size());
    for (std::size_t t = 0; t < made.shapes.size(); ++t) {
        EXPECT_EQ(made.trees[t].cells.size(), made.shapes[t].kinds.size());
        numbers.insert(numbers.end(), made.trees[t].cells.begin(), made.trees[t].cells.end());
    }
    std::ranges::sort(numbers);
    std::iota(expected.begin(), expected.end(), 0U);
    EXPECT_EQ(numbers, expected);
    EXPECT_EQ(made.imported.levels.front(), 0U);
    EXPECT_EQ(made.imported.levels.back(), made.imported.cells.size());
}

TEST_P(ImportedTrees, put_the_roots_on_the_first_level_and_children_on_the_one_below_their_parent) {
    const auto [shapes, trees, imported] = joined();
    const auto level_of = [&levels = imported.levels](std::uint32_t cell) {
        return std::ranges::upper_bound(levels, cell) - levels.begin() - 1;
    };
    for (std::size_t t = 0; t < shapes.size(); ++t) {
        EXPECT_EQ(level_of(trees[t].cells[0]), 0);
        for (std::size_t k = 0, child = 1; k < shapes[t].kinds.size(); ++k) {
            const Cell& cell = imported.cells[trees[t].cells[k]];
            ASSERT_EQ(cell.is_leaf(), shapes[t].kinds[k] != CellKind::inner);
            if (cell.is_leaf()) continue;
            ASSERT_FALSE(cell.is_closed());
            ASSERT_EQ(cell.child, trees[t].cells[child]);
            ASSERT_EQ(cell.child + 1, trees[t].cells[child + 1]);
            ASSERT_EQ(level_of(cell.child), level_of(trees[t].cells[k]) + 1);
            ASSERT_EQ(level_of(cell.child + 1), level_of(cell.child));
            child += 2;
        }
    }
}

TEST_P(ImportedTrees, give_the_leaves_slots_one_after_another) {
    const auto [shapes, trees, imported] = joined();
    std::size_t slot = 0;
    for (std::size_t t = 0; t < shapes.size(); ++t) {
        EXPECT_EQ(trees[t].first_slot, slot);
        for (std::size_t k = 0, leaf = 0; k < shapes[t].kinds.size(); ++k) {
            if (shapes[t].kinds[k] != CellKind::leaf) continue;
            const Cell& cell = imported.cells[trees[t].cells[k]];
            ASSERT_EQ(cell.first, slot);
            ASSERT_EQ(cell.count, shapes[t].leaf_counts[leaf++]);
            slot = cell.end();
        }
        EXPECT_EQ(trees[t].slot_count, slot - trees[t].first_slot);
    }
    EXPECT_EQ(imported.slots(), slot);
}

TEST_P(ImportedTrees, list_the_closed_cells_of_each_tree_together) {
    const auto [shapes, trees, imported] = joined();
    std::vector<std::uint32_t> closed;
    for (std::size_t t = 0; t < shapes.size(); ++t) {
        EXPECT_EQ(trees[t].first_closed, closed.size());
        for (std::size_t k = 0; k < shapes[t].kinds.size(); ++k) {
            const bool is_closed = shapes[t].kinds[k] == CellKind::closed;
            ASSERT_EQ(imported.cells[trees[t].cells[k]].is_closed(), is_closed);
            if (is_closed) closed.push_back(trees[t].cells[k]);
        }
        EXPECT_EQ(trees[t].closed_count, closed.size() - trees[t].first_closed);
    }
    EXPECT_EQ(imported.closed, closed);
}

TEST_P(ImportedTrees, keep_sizes_and_make_room_for_the_rest) {
    const auto [shapes, trees, imported] = joined();
    for (std::size_t t = 0; t < shapes.size(); ++t)
        for (std::size_t k = 0; k < shapes[t].kinds.size(); ++k)
            ASSERT_EQ(imported.sizes[trees[t].cells[k]], shapes[t].sizes[k]);
    EXPECT_EQ(imported.spheres.size(), imported.cells.size());
    EXPECT_EQ(imported.closed_weights.size(), imported.closed.size());
    EXPECT_EQ(imported.closed_sums.size(), imported.closed.size() * (components - 3));
    EXPECT_EQ(imported.closed_moments.size(), imported.closed.size() * moment_bytes);
    EXPECT_EQ(imported.components.size(), components);
    for (const auto& component : imported.components) EXPECT_EQ(component.size(), imported.slots());
}

TEST(ImportedCells, without_sizes_has_none) {
    const Joined made({{{CellKind::inner, CellKind::leaf, CellKind::closed}, {3}, {}}});
    EXPECT_TRUE(made.imported.sizes.empty());
}

TEST(ImportedCells, of_nothing_has_no_cells) {
    const Joined made({});
    EXPECT_TRUE(made.imported.cells.empty());
    EXPECT_EQ(made.imported.levels, std::vector<std::uint32_t>{0});
    EXPECT_EQ(made.imported.slots(), 0U);
}

}  // namespace trellis::imported_trees_test
