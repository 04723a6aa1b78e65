// The inner loops of the walk and of the recheck: one target against many cells. Compiled for each instruction set.
#pragma once

#include <cstdint>
#include <span>

#include "trellis/base/isa.hpp"
#include "trellis/lists/walk/interaction_list.hpp"
#include "trellis/lists/walk/opening.hpp"
#include "trellis/tree/moments.hpp"

namespace trellis {

// The data of a cell that the walk reads, in one cache line of eight doubles: a transposition makes batches of several.
struct alignas(64) Candidate {
    Vec3<double> centre;
    double size;  // longest side, or radius: see Opening
    double weight;
    double kind;       // inner_cell, leaf_cell or closed_cell
    double variation;  // CellSoftening::variation
    std::uint32_t child;
    std::uint32_t unused;
};
static_assert(sizeof(Candidate) == 64);
inline constexpr double inner_cell = 0, leaf_cell = 1, closed_cell = 2;

// The data of a target that the walk reads.
struct WalkTarget {
    Bounds bounds;
    Vec3<double> centre;
    double radius;
    double smallest_tolerance;  // of its particles
    double largest_tolerance;
    bool group;
    bool part_of_uneven = false;  // true for a part of a group that was divided
    double variation = 0;         // CellSoftening::variation

    // even: true if the tolerances of its particles are similar. even_group: true if small cells may therefore act on
    // it as wholes.
    bool even() const { return largest_tolerance <= even_tolerances * smallest_tolerance; }
    bool even_group() const { return group && even() && !part_of_uneven; }
};

// The target at another position: images of cells act on it as the cells do on a target moved the other way.
inline WalkTarget moved(WalkTarget target, const Vec3<double>& shift) {
    target.bounds = {target.bounds.low + shift, target.bounds.high + shift};
    target.centre += shift;
    return target;
}

// The output of one target's walk. opened is work space.
struct WalkOutput {
    IndexBuffer& far;
    IndexBuffer& super;
    IndexBuffer& near;
    IndexBuffer& deferred;  // undecided cells, for the target's two halves; empty for a group
    IndexBuffer& opened;    // first children of opened cells
};

// Appends the candidates to the lists of the target, and opens cells by the criterion. A closed cell cannot be opened:
// it acts as a whole on a group that would open it.
TRELLIS_DECLARE_VARIANTS(void walk_target(const Candidate* cells, const Opening& opening, const WalkTarget& target,
                                          std::span<const std::uint32_t> candidates, const WalkOutput& output))

// True if each of the far cells and superparticles of a target is accepted for it.
TRELLIS_DECLARE_VARIANTS(bool all_accepted(const Candidate* cells, const Opening& opening, const WalkTarget& target,
                                           std::span<const std::uint32_t> far, std::span<const std::uint32_t> super))

}  // namespace trellis
