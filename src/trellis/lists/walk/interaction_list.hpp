// Interaction lists. They name cells and leaves, never single particles (whose slots are one range in a leaf).
//
// The targets are cells of the same tree: from the root down to the groups, whose particles share one list. A cell that
// is far enough for all of an enclosing target is listed there, once, and not again below. The interaction list of a
// group is therefore the union over its path from the root: the far cells of each target on it, and the superparticles
// and near leaves of the group itself.
//
// In a periodic box images of the cells act, too. They are no cells of their own: a target's list names the cells of
// each image apart, and is made, and evaluated, as if the target were moved the other way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "trellis/base/vec.hpp"
#include "trellis/lists/walk/index_buffer.hpp"
#include "trellis/lists/walk/walk_space.hpp"

namespace trellis {

// The cells of one image on a target's list. Its far cells are far[previous list's far_end, far_end) of the branch, and
// so on.
struct ImageList {
    std::uint32_t image;    // see InteractionLists
    std::uint32_t far_end;  // cells accepted for the whole target
    std::uint32_t
        super_end;  // Receiver::cell, groups only: cells accepted for its particles, not for their local expansion
    std::uint32_t near_end;  // groups only: leaves whose particles act one by one
};

// One target. Its lists are lists[previous target's lists_end, lists_end) of its branch.
struct Target {
    std::uint32_t cell;
    std::uint32_t parent;  // index of the enclosing target: in this branch; for the branch's first, in the trunk
    std::uint32_t lists_end;
    bool group;
};

// Targets in an order in which parents come first.
struct Branch {
    std::vector<Target> targets;
    std::vector<ImageList> lists;
    IndexBuffer far;
    IndexBuffer super;
    IndexBuffer near;

    // No targets; the memory is kept.
    void clear();

    // The numbers of a target's lists.
    auto lists_of(std::size_t target) const {
        return std::views::iota(std::size_t{target == 0 ? 0 : targets[target - 1].lists_end},
                                std::size_t{targets[target].lists_end});
    }
    std::span<const std::uint32_t> far_of(std::size_t list) const { return part(far, &ImageList::far_end, list); }
    std::span<const std::uint32_t> super_of(std::size_t list) const { return part(super, &ImageList::super_end, list); }
    std::span<const std::uint32_t> near_of(std::size_t list) const { return part(near, &ImageList::near_end, list); }

  private:
    std::span<const std::uint32_t> part(const IndexBuffer& cells, std::uint32_t ImageList::* end,
                                        std::size_t list) const {
        return cells.span(list == 0 ? 0 : lists[list - 1].*end, lists[list].*end);
    }
};

// The trunk holds the targets above the branches; branches are independent of each other, the unit of parallel work.
// The trunk may hold groups too (few particles, or leaves of equal positions).
struct InteractionLists {
    std::vector<Vec3<double>> images{{0, 0, 0}};  // the shifts of those that act; zero first: the cells themselves
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
