// The part of the local tree that another rank needs (local essential tree, LET; Warren & Salmon 1993): the cells that
// its particles would open, those they would take as a whole, and the particles of the leaves they would open. It is
// kept as cell numbers, so that a reusing step sends new values alone (paper, section 4.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/walk/opening.hpp"
#include "trellis/lists/walk/walk_kernel.hpp"
#include "trellis/tree/cell.hpp"

namespace trellis {

enum class CellKind : std::uint8_t {
    inner,   // its two children follow, behind those of the inner cells before it
    leaf,    // its particles are sent
    closed,  // acts as a whole
};

// The cells of an essential tree, breadth first from the root.
struct EssentialShape {
    std::vector<CellKind> kinds;             // one a cell
    std::vector<std::uint32_t> leaf_counts;  // particles of each leaf
    std::vector<double> sizes;               // one a cell, at construction, for the opening criterion; empty: the radii
};

struct EssentialTree {
    EssentialShape shape;
    std::vector<std::uint32_t> cells;  // numbers in the local tree
    Vec3<double> shift{0, 0, 0};       // of the image of the local tree that acts; zero: the tree itself
};

// The essential tree for all particles within the target's bounds, each of which can bear the target's smallest
// tolerance. A closed cell is accepted for each of these particles (Receiver::particle), whatever the receiver of the
// lists is. Accepted leaves of up to few particles are sent as leaves all the same. candidates: those of the local tree
// (see WalkTable), which is not empty.
EssentialTree find_essential_tree(std::span<const Cell> cells, const Candidate* candidates, const Opening& opening,
                                  const WalkTarget& target, std::uint32_t few);

}  // namespace trellis
