// Memory of the walk and of the recheck, kept from step to step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/lists/walk/pile.hpp"
#include "trellis/tree/morton.hpp"

namespace trellis {

struct WalkSpace {
    // A target: its cell, the enclosing target (see Target), and whether it is part of a group that was divided.
    struct Place {
        std::uint32_t cell, parent;
        bool part_of_uneven;
    };
    // Where a branch begins: its first target, and which of the candidates below are its own.
    struct Start {
        Place place;
        std::size_t first_candidate, end;
    };
    // Deferred cells for each level of the recursion, and the walk's work space behind them.
    using Piles = std::array<Pile, 2 * (key_bits + 2)>;

    Workspace table;            // see WalkTable
    std::vector<Start> starts;  // of each branch
    Pile candidates;            // the cells that the branches' walks begin with
    std::vector<Piles> piles;   // of each thread
};

}  // namespace trellis
