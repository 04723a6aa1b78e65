// Memory of the walk and of the recheck, kept from step to step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/lists/walk/index_buffer.hpp"
#include "trellis/tree/morton.hpp"

namespace trellis {

struct WalkSpace {
    // A target: its cell, the enclosing target (see Target), and whether it is part of a group that was divided.
    struct Place {
        std::uint32_t cell, parent;
        bool part_of_uneven;
    };
    // The cells of one image that a target is to meet, [first, end) of some buffer.
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
    // Where a branch begins: its first target, and which of the candidates' images are its own.
    struct Start {
        Place place;
        std::size_t first_image, end;
    };
    // What the targets of one level of the recursion leave to their halves, and the walk's work space.
    struct Level {
        Undecided undecided;
        IndexBuffer opened;
    };
    using Levels = std::array<Level, key_bits + 2>;

    Workspace table;             // see WalkTable
    Undecided roots;             // what the root meets
    std::vector<Start> starts;   // of each branch
    Undecided candidates;        // the cells that the branches' walks begin with
    std::vector<Levels> levels;  // of each thread
};

}  // namespace trellis
