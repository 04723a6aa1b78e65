// The tree: topology only. The contents of the cells are computed apart (moments), so that lists can outlive positions.
//
// It is the octree of Barnes & Hut (1986) whose in-between bisections are cells too: each step down takes one bit of
// the Morton key, so sizes change by two rather than by eight, and leaves and groups come out near the size asked for.
// Bits that all particles of a cell share are skipped; every cell is a leaf or has exactly two children.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/base/workspace.hpp"
#include "trellis/particles/box.hpp"
#include "trellis/tree/imported_cells.hpp"
#include "trellis/tree/radix_sort.hpp"

namespace trellis {

class Tree {
  public:
    // Sorts the positions (finite) along the Morton curve and links the cells. A leaf has at most leaf_size
    // particles, unless more than that have one key. No particle: no cell. The same tree for any number of threads.
    void build(std::span<const Vec3<double>> positions, std::uint32_t leaf_size, Phases& phases) {
        build(positions, leaf_size, own_space_, phases);
    }
    // The same in given memory, which is free again afterwards.
    void build(std::span<const Vec3<double>> positions, std::uint32_t leaf_size, Workspace& space, Phases& phases);

    const Box& root_box() const { return root_; }

    // The row of the particle in each sorted slot.
    std::span<const std::uint32_t> order() const { return order_; }

    // Puts imported cells behind the local ones, in place of those imported before. Their particles have the slots
    // behind the local ones.
    void add_imported(const ImportedCells& imported);

    // The cells level by level from the root, cell 0: children come after their parents. Imported cells follow, again
    // level by level.
    std::span<const Cell> cells() const { return cells_; }
    // The begin of each level in cells(); the last entry is the number of local cells.
    std::span<const std::uint32_t> levels() const { return levels_; }
    std::size_t local_cells() const { return levels_.back(); }
    // The same for the imported ones: the first entry is the number of local cells, the last that of all.
    std::span<const std::uint32_t> imported_levels() const { return imported_levels_; }

    // The longest side of the cell's box.
    double side(const Cell& cell) const { return side_of(cell, root_.side); }

  private:
    void link(const KeyIndex* sorted, std::uint32_t leaf_size);
    std::uint32_t link_level(const KeyIndex* sorted, std::uint32_t begin, std::uint32_t end, std::uint32_t leaf_size);

    Box root_;
    Workspace own_space_;
    SortSpace sort_space_;
    std::vector<std::uint32_t> order_;
    std::vector<Cell> cells_;
    std::vector<std::uint32_t> levels_{0};
    std::vector<std::uint32_t> imported_levels_{0};
};

}  // namespace trellis
