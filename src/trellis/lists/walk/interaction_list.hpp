// Interaction lists. They name cells and leaves, never single particles (whose slots are one range in a leaf).
//
// The targets are cells of the same tree: from the root down to the groups, whose particles share one list. A cell that
// is far enough for all of an enclosing target is listed there, once, and not again below. The interaction list of a
// group is therefore the union over its path from the root: the far cells of each target on it, and the superparticles
// and near leaves of the group itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/walk/pile.hpp"
#include "trellis/lists/walk/walk_space.hpp"

namespace trellis {

// One target. Its far cells are far[previous target's far_end, far_end) of its branch, and so on.
struct Target {
    std::uint32_t cell;
    std::uint32_t parent;   // index of the enclosing target: in this branch; for the branch's first, in the trunk
    std::uint32_t far_end;  // cells accepted for the whole target
    std::uint32_t
        super_end;  // Receiver::cell, groups only: cells accepted for its particles, not for their local expansion
    std::uint32_t near_end;  // groups only: leaves whose particles act one by one
    bool group;
};

// Targets in an order in which parents come first.
struct Branch {
    std::vector<Target> targets;
    Pile far;
    Pile super;
    Pile near;

    // No targets; the memory is kept.
    void clear();

    std::span<const std::uint32_t> far_of(std::size_t target) const {
        return far.span(target == 0 ? 0 : targets[target - 1].far_end, targets[target].far_end);
    }
    std::span<const std::uint32_t> super_of(std::size_t target) const {
        return super.span(target == 0 ? 0 : targets[target - 1].super_end, targets[target].super_end);
    }
    std::span<const std::uint32_t> near_of(std::size_t target) const {
        return near.span(target == 0 ? 0 : targets[target - 1].near_end, targets[target].near_end);
    }
};

// The trunk holds the targets above the branches; branches are independent of each other, the unit of parallel work.
// The trunk may hold groups too (few particles, or leaves of equal positions).
struct InteractionLists {
    Branch trunk;
    WalkSpace walk_space;

    std::span<Branch> branches() { return {branches_.data(), branch_count_}; }
    std::span<const Branch> branches() const { return {branches_.data(), branch_count_}; }
    // So many branches, without targets. The memory of earlier ones is kept, even if there are fewer now.
    void set_branches(std::size_t count);

    // Bytes held by the lists.
    std::size_t bytes() const;

  private:
    std::vector<Branch> branches_;
    std::size_t branch_count_ = 0;
};

}  // namespace trellis
