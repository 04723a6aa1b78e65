// The topology of the tree. The contents of cells are computed apart (moments.hpp), so that lists can outlive
// positions.
//
// It is the octree of Barnes & Hut (1986) with the bisections between its cells as cells, too: each step down takes one
// bit of the Morton key, so that sizes change by a factor of two instead of eight, and leaves and groups have nearly
// the requested size. Bits that all particles of a cell share are skipped; every cell is a leaf or has exactly two
// children.
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
    // Sorts the positions (finite) along the Morton curve and links the cells. A leaf has at most leaf_size particles,
    // unless more are nearer to each other than 2^-42 of the root cell's side. Without particles there are no cells.
    // The tree is the same for any number of threads.
    void build(std::span<const Vec3<double>> positions, std::uint32_t leaf_size, Phases& phases) {
        build(positions, leaf_size, own_space_, phases);
    }
    // The same with given work space, which is free again afterwards.
    void build(std::span<const Vec3<double>> positions, std::uint32_t leaf_size, Workspace& space, Phases& phases);

    const Box& root_box() const { return root_; }

    // The row of the particle in each sorted slot.
    std::span<const std::uint32_t> order() const { return order_; }

    // Appends imported cells to the local ones, replacing those imported before. Their particles have the slots after
    // the local ones.
    void add_imported(const ImportedCells& imported);

    // The cells level by level from the root, cell 0: children come after their parents. Imported cells follow, again
    // level by level.
    std::span<const Cell> cells() const { return cells_; }
    // The first cell of each level; the last entry is the number of local cells.
    std::span<const std::uint32_t> levels() const { return levels_; }
    std::size_t local_cells() const { return levels_.back(); }
    // The same for imported cells: the first entry is the number of local cells, the last the number of all cells.
    std::span<const std::uint32_t> imported_levels() const { return imported_levels_; }

    // The longest side of the cell's box.
    double side(const Cell& cell) const { return side_of(cell, root_.side); }

  private:
    // The particles of a tree while it is built.
    struct Sorted {
        std::span<const Vec3<double>> positions;  // by row
        KeyMaker key;
        std::span<KeyIndex> pairs, space;  // by slot
    };
    void link(const Sorted& sorted, std::uint32_t leaf_size);
    std::uint32_t link_level(const Sorted& sorted, std::uint32_t begin, std::uint32_t end, std::uint32_t leaf_size);
    bool refine(Cell& cell, const Sorted& sorted);

    Box root_;
    Workspace own_space_;
    SortSpace sort_space_;
    std::vector<std::uint32_t> order_;
    std::vector<Cell> cells_;
    std::vector<std::uint32_t> levels_{0};
    std::vector<std::uint32_t> imported_levels_{0};
};

}  // namespace trellis
