// The units of length of cells' expansions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

// Finds the units of the cells of these levels (see Tree::levels), by their numbers. The unit of a cell is its radius.
// Cells whose particles are all at one place do not depend on it; it need only be small enough for its powers not to
// overflow.
void find_units(const ListedTree& listed, std::span<const std::uint32_t> levels, std::vector<double>& units);

}  // namespace trellis
