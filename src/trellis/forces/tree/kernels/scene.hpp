// Input and output of the force kernels of a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trellis/forces/result_components.hpp"
#include "trellis/lists/walk/interaction_list.hpp"
#include "trellis/lists/walk/opening.hpp"
#include "trellis/tree/moments.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

// The sources that are evaluated at once.
enum class Part {
    whole,
    local,    // local sources, which come first: the local expansions of targets are kept, not carried down
    imported  // imported sources, which come last: kept expansions are added, and all are carried down
};

// The groups whose near pairs kernels in single precision compute in double: see close_pairs.hpp.
enum class NearInDouble { none, close, all };

// All arrays live as long as the step.
struct Scene {
    std::span<const Cell> cells;
    const Sphere* spheres;  // one a cell
    const double* units;    // one a cell: the unit of length of its expansions
    Vec3<double>
        corner;  // corner of the root cell, to which positions are relative, so that no digits are lost to an offset
    std::span<const double* const> columns;    // components of the fields, in tree order, padded (SortedColumns)
    std::size_t source_components;             // the first of them, which belong to Source
    const void* j_particles;                   // see ForceKernels::j_particles
    std::size_t j_stride;                      // slots from one component of them to the next
    std::span<const double* const> cell_sums;  // one a cell, for each component but the position's three
    const double* cell_softenings;             // one a cell: the mean (see CellSoftening); null without softenings
    const std::uint32_t* order;                // row of each local slot
    const InteractionLists* lists;
    Part part;
    std::span<const ResultComponent> results;
    Receiver receiver;
    NearInDouble near_in_double;
};

// The room for `slots` slots: whole batches may be read and written behind the last.
constexpr std::size_t padded_slots(std::size_t slots) { return (slots + 31) / 16 * 16; }

}  // namespace trellis
