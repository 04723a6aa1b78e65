// The units of length of cells' expansions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

// Finds the units of the cells of these levels (see Tree::levels), by their numbers.
void find_units(const ListedTree& listed, std::span<const std::uint32_t> levels, std::vector<double>& units);

}  // namespace trellis
