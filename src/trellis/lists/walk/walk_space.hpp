// Work space of the walk and of the recheck, kept from step to step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/lists/walk/index_buffer.hpp"
#include "trellis/tree/cell.hpp"

namespace trellis {

struct WalkSpace {
    // A target to visit: its cell, the enclosing target (see Target), and true if it is part of a group that was
    // divided.
    struct Visit {
        std::uint32_t cell, parent;
        bool part_of_uneven;
    };
    // The candidates of one image for a target: cells [first, end) of a buffer.
    struct OfImage {
        std::uint32_t image;
        std::size_t first, end;
    };
    struct Undecided {
        IndexBuffer cells;
        std::vector<OfImage> images;

        void clear() {
            cells.clear();
            images.clear();
        }
    };
    // The begin of a branch: its first target, and the range [first_image, end) of its images among the candidates.
    struct Start {
        Visit visit;
        std::size_t first_image, end;
    };
    // The cells that the targets of one level of the recursion leave to their halves, and work space of the walk.
    struct Level {
        Undecided undecided;
        IndexBuffer opened;
    };
    using Levels = std::array<Level, most_depth + 2>;

    Workspace table;             // see WalkTable
    Undecided roots;             // the candidates of the root
    std::vector<Start> starts;   // one for each branch
    Undecided candidates;        // the cells that the branches' walks begin with
    std::vector<Levels> levels;  // one for each thread
};

}  // namespace trellis
