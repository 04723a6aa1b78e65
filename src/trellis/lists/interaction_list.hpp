// Interaction lists. They name cells and leaves, never single particles (whose slots are one range in a leaf).
//
// The targets are cells of the same tree: from the root down to the groups, whose particles share one list. A cell that is far
// enough for all of an enclosing target is listed there, once, and not again below. The list of a group is therefore what stands
// on its path from the root: the far cells of each target on it, and the near leaves of the group itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/lists/pile.hpp"

namespace trellis {

// One target. Its far cells are far[previous target's far_end, far_end) of its branch, and so for near.
struct Target {
    std::uint32_t cell;
    std::uint32_t parent;    // index of the enclosing target: in this branch; for the branch's first, in the trunk
    std::uint32_t far_end;   // accepted cells
    std::uint32_t near_end;  // leaves whose particles act one by one; for groups only
    bool group;
};

// Targets in an order in which parents come first.
struct Branch {
    std::vector<Target> targets;
    Pile far;
    Pile near;

    std::size_t far_begin(std::size_t target) const { return target == 0 ? 0 : targets[target - 1].far_end; }
    std::size_t near_begin(std::size_t target) const { return target == 0 ? 0 : targets[target - 1].near_end; }
};

// The trunk holds the targets above the branches; branches are independent of each other, the unit of parallel work.
// The trunk may hold groups too (few particles, or leaves of equal positions).
struct InteractionLists {
    Branch trunk;
    std::vector<Branch> branches;

    // Bytes held by the lists.
    std::size_t bytes() const;
};

}  // namespace trellis
