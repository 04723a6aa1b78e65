// Far cells whose expansions act, as a device takes them: for each target, and for each group (see
// device_far_field.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "trellis/forces/tree/kernels/device_far_field.hpp"
#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

struct FarLists {
    std::vector<FarTarget> targets;
    std::vector<FarGroup> groups;
    std::vector<std::uint32_t> cells;  // on all lists
    std::uint64_t expansions = 0;      // cells on the lists of targets
    std::uint64_t multipoles = 0;      // pairs of an i-particle and a cell on the list of its group

    // Appends targets and groups of other branches.
    void append(const FarLists& others);
};

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
FarLists far_lists_of(const ListedTree& listed, const Branch& branch);
// The targets of the trunk, without groups.
FarLists trunk_targets(const ListedTree& listed);

}  // namespace trellis
