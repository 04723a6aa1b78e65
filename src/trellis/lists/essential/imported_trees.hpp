// Joins essential trees from other ranks into one set of imported cells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/essential/essential_tree.hpp"
#include "trellis/tree/imported_cells.hpp"

namespace trellis {

// The numbers of the cells, closed cells and particles of one essential tree among all imported ones.
struct ImportedTree {
    std::vector<std::uint32_t> cells;  // of each cell of the tree, its number among the imported cells
    std::size_t first_closed, closed_count;
    std::size_t first_slot, slot_count;
};

// Returns the imported cells of all trees, with room for their values (spheres, sums, moments, components), which are
// not set. components: number of components of a particle. moment_bytes: of each closed cell. softened: one of the
// components is a softening.
ImportedCells make_imported_cells(std::span<const EssentialShape> shapes, std::size_t components,
                                  std::size_t moment_bytes, std::vector<ImportedTree>& trees, bool softened = false);

}  // namespace trellis
