// Far cells whose expansions act, as a device takes them: for each target, and for each group (see
// device_far_field.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/forces/tree/kernels/device_far_field.hpp"
#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

// Interaction lists and the cells that they name.
struct ListsOfCells {
    ListsOfCells(const ListedTree& listed);  // NOLINT: a listed tree has all of this

    // particles: their number, behind whose rows those of cells come (cells_are_rows).
    ListsOfCells(std::span<const Cell> of_tree, const InteractionLists& of_targets, const Opening& by,
                 std::uint32_t particles)
        : cells(of_tree), lists(of_targets), opening(by), first_cell_row(particles) {}

    std::span<const Cell> cells;
    const InteractionLists& lists;
    const Opening& opening;
    std::uint32_t first_cell_row;
};

// The sizes of lists of far cells.
struct FarCounts {
    std::size_t targets = 0, groups = 0, cells = 0;
    std::uint64_t expansions = 0;  // cells on the lists of targets
    std::uint64_t multipoles = 0;  // pairs of an i-particle and a cell on the list of its group

    FarCounts& operator+=(const FarCounts& others);
};

struct FarLists {
    std::vector<FarTarget> targets;
    std::vector<FarGroup> groups;
    std::vector<std::uint32_t> cells;  // on all lists
    std::uint64_t expansions = 0, multipoles = 0;

    FarCounts counts() const { return {targets.size(), groups.size(), cells.size(), expansions, multipoles}; }
};

// Memory for such lists, with room for what the counts say of each.
struct FarPlaces {
    FarTarget* targets;
    FarGroup* groups;
    std::uint32_t* cells;
};

// Writes the lists behind those that `before` counts.
void write_moved(const FarLists& lists, const FarCounts& before, const FarPlaces& to);

// Gives lists the sizes that the counts say, and returns their memory.
FarPlaces room_for(const FarCounts& counts, FarLists& lists);

// Calls take(branch, number) for a target of a branch and all targets around it, up to the root.
template <class Take>
void for_targets_around(const InteractionLists& lists, const Branch& branch, std::size_t target, const Take& take) {
    for (const Branch* around = &branch;;) {
        take(*around, target);
        if (around->targets[target].cell == 0) return;
        const std::uint32_t parent = around->targets[target].parent;
        if (target == 0) around = &lists.trunk;
        target = parent;
    }
}

// The groups of a branch, and, unless it is the trunk, its targets. Without images: these are imported.
FarLists far_lists_of(const ListsOfCells& listed, const Branch& branch);
// The targets of the trunk, without groups.
FarLists trunk_targets(const ListsOfCells& listed);

}  // namespace trellis
