// The walk: from tree and moments to interaction lists.
#pragma once

#include <cstdint>
#include <span>

#include "trellis/lists/interaction_list.hpp"
#include "trellis/lists/opening.hpp"
#include "trellis/tree/moments.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

// Walks the tree for all targets at once, from the root: cells that are neither accepted nor opened for every particle of a target are
// left to its two halves, which so share the walk above them. A group is the largest cell of at most group_size particles, or a leaf.
//
// tolerance holds, for each sorted slot, the error that the particle can bear (see Opening); empty: any error.
// lists is overwritten; its memory is used again. The lists are the same for any number of threads; with Receiver::particle they name, for each group, exactly the cells
// that a walk for that group alone would accept.
void make_lists(const Tree& tree, const Moments& moments, const Opening& opening, std::uint32_t group_size,
                std::span<const double> tolerance, InteractionLists& lists);

}  // namespace trellis
