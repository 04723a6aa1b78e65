// The steps of expansions (forces/tree/expansions) at one order as functions of C, which call the function radial of
// the potential.
#pragma once

#include <cstddef>
#include <string>

namespace trellis {

// order: 2 to highest_order.
struct ExpansionSizes {
    std::size_t terms, stride, centre;  // of a local expansion; of a cell's row, and the place of its centre there
};
ExpansionSizes expansion_sizes(int order, bool single);

// add_local: of a cell, to the local expansion of a target (M2L).
std::string locals_functions(int order, bool single);
// add_moved_local: of a target around a group, to that of the group (L2L). Potential and gradient at a place about the
// centre of a group: add_field_of_cell (M2P), and add_field_of_local, by the local expansion of the group (L2P).
std::string far_field_functions(int order, bool single);

}  // namespace trellis
