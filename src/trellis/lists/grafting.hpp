// Joins essential trees from other ranks into one graft.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/essential_tree.hpp"
#include "trellis/tree/graft.hpp"

namespace trellis {

// Where the cells, closed cells and particles of one essential tree stand in the graft.
struct GraftedTree {
    std::vector<std::uint32_t> cells;  // the graft's number of each
    std::size_t first_closed, closed_count;
    std::size_t first_slot, slot_count;
};

// A graft of these trees, side by side; all but its values (spheres, sums, moments, components) is set, and for these there is room:
// components of a particle, bytes of a closed cell's moments.
Graft make_graft(std::span<const EssentialShape> shapes, std::size_t components, std::size_t moment_bytes,
                 std::vector<GraftedTree>& trees);

}  // namespace trellis
