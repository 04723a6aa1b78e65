// The part of the local tree that another rank needs (local essential tree, LET; Warren & Salmon 1993): the cells that
// its particles open, the cells that act on them as wholes, and the particles of the leaves that they open. It is kept
// as cell numbers, so that a reusing step sends only new values (paper, section 4.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/walk/opening.hpp"
#include "trellis/lists/walk/walk_kernel.hpp"
#include "trellis/tree/cell.hpp"

namespace trellis {

enum class CellKind : std::uint8_t {
    inner,   // its two children follow, after the children of earlier inner cells
    leaf,    // its particles are sent
    closed,  // it acts as a whole
};

// The cells of an essential tree, breadth first from the root.
struct EssentialShape {
    std::vector<CellKind> kinds;             // of each cell
    std::vector<std::uint32_t> leaf_counts;  // particles of each leaf
    std::vector<double> sizes;  // of each cell at construction, for the opening criterion; empty: the radii
};

struct EssentialTree {
    EssentialShape shape;
    std::vector<std::uint32_t> cells;  // numbers in the local tree
    Vec3<double> shift{0, 0, 0};       // from the local tree to its image that acts; zero: the tree itself
};

// The essential tree for all particles within the target's bounds, at the target's smallest tolerance. A closed cell is
// accepted for each of these particles, as by Receiver::particle, for any receiver of the lists. Accepted leaves of at
// most `few` particles are sent as leaves. candidates: the candidates of the local tree (see WalkTable), which is not
// empty.
EssentialTree find_essential_tree(std::span<const Cell> cells, const Candidate* candidates, const Opening& opening,
                                  const WalkTarget& target, std::uint32_t few);

}  // namespace trellis
