// The test whether lists are still valid after the particles have moved.
#pragma once

#include <span>

#include "trellis/lists/walk/interaction_list.hpp"
#include "trellis/lists/walk/opening.hpp"
#include "trellis/lists/walk/walk_table.hpp"
#include "trellis/tree/moments.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

// The criterion for sizes over distances that have grown by a factor of 1 + skin.
Opening relaxed(const Opening& opening, double skin);

// The factor by which the error of a superparticle or an expansion has grown then.
double error_growth(const Opening& opening, double skin);

// True if lists made earlier for this tree are still valid: every cell on them, at its present centre and size, would
// be accepted if the ratio of size to distance were smaller by a factor of 1 + skin. Then no error of a superparticle
// or an expansion has grown by more than (1 + skin)^(order + 3). Particles that act one by one act exactly at any
// distance. A common motion of all particles does not count: the tree may drift, turn or shrink as a whole.
//
// moments: of the present positions. opening, sizes, tolerances: those that the lists were made with. skin >= 0.
bool still_accepted(const Tree& tree, const Moments& moments, const Opening& opening, std::span<const CellSize> sizes,
                    std::span<const ToleranceRange> tolerances, double skin, InteractionLists& lists);

}  // namespace trellis
