// The steps of expansions (forces/tree/expansions) at one order as functions of C, which call the function radial of
// the potential.
#pragma once

#include <cstddef>
#include <string>

namespace trellis {

struct ExpansionText {
    std::size_t terms, stride, centre;  // of a local expansion; of a cell's row, and the place of its centre there
    std::string add_local;              // M2L: of a cell, to the local expansion of a target
    std::string add_moved_local;        // L2L: of a target around a group, to that of the group
    std::string add_field_of_cell;      // M2P: potential and gradient at a place about the centre of a group
    std::string add_field_of_local;     // L2P: the same by the local expansion of the group
};

// order: 2 to highest_order.
ExpansionText expansion_text(int order, bool single);

}  // namespace trellis
