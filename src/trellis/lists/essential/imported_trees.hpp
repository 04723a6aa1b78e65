// Joins essential trees from other ranks into one set of imported cells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/essential/essential_tree.hpp"
#include "trellis/tree/imported_cells.hpp"

namespace trellis {

// The place of one essential tree's cells, closed cells and particles among the imported cells.
struct ImportedTree {
    std::vector<std::uint32_t> cells;  // the number of each among the imported cells
    std::size_t first_closed, closed_count;
    std::size_t first_slot, slot_count;
};

// The imported cells of these trees, side by side. All but the values (spheres, sums, moments, components) is set, and
// the values have room: for so many components of each particle, and moment_bytes of each closed cell. softened: one of
// the components is a softening.
ImportedCells make_imported_cells(std::span<const EssentialShape> shapes, std::size_t components,
                                  std::size_t moment_bytes, std::vector<ImportedTree>& trees, bool softened = false);

}  // namespace trellis
