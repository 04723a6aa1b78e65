// Interaction lists. They hold the numbers of cells and leaves, never of single particles (whose slots are one range in
// a leaf).
//
// Targets are cells of the same tree, from the root down to the groups, whose particles share one list. A cell that is
// far enough from all of an enclosing target is listed there once, and not again below. The interaction list of a group
// is therefore the union over its path from the root: the far cells of each target on the path, and the superparticles
// and near leaves of the group itself.
//
// In a periodic box images of the cells act, too. They are not cells of their own: a target has one list of cells for
// each image, which is made and evaluated as if the target were moved the other way.
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

// The cells of one image on a target's list: far cells [far_end of the list before, far_end) of the branch, and the
// same for super and near.
struct ImageList {
    std::uint32_t image;    // index of InteractionLists::images
    std::uint32_t far_end;  // cells accepted for the whole target
    std::uint32_t
        super_end;  // Receiver::cell, groups only: cells accepted for its particles, not for their local expansion
    std::uint32_t near_end;  // groups only: leaves whose particles act one by one
};

// A target; its lists are [lists_end of the target before, lists_end) of its branch.
struct Target {
    std::uint32_t cell;
    std::uint32_t parent;  // index of the enclosing target in this branch; for the first target, in the trunk
    std::uint32_t lists_end;
    bool group;
};

// Targets, parents before their halves.
struct Branch {
    std::vector<Target> targets;
    std::vector<ImageList> lists;
    IndexBuffer far;
    IndexBuffer super;
    IndexBuffer near;

    // Removes all targets and keeps the memory.
    void clear();

    // The numbers of a target's lists.
    std::ranges::iota_view<std::size_t, std::size_t> lists_of(std::size_t target) const;
    std::span<const std::uint32_t> far_of(std::size_t list) const { return part(far, &ImageList::far_end, list); }
    std::span<const std::uint32_t> super_of(std::size_t list) const { return part(super, &ImageList::super_end, list); }
    std::span<const std::uint32_t> near_of(std::size_t list) const { return part(near, &ImageList::near_end, list); }

  private:
    std::span<const std::uint32_t> part(const IndexBuffer& cells, std::uint32_t ImageList::* end,
                                        std::size_t list) const {
        return cells.span(list == 0 ? 0 : lists[list - 1].*end, lists[list].*end);
    }
};

// The trunk holds the targets above the branches. Branches are independent of each other, the units of parallel work.
// The trunk may hold groups, too (of few particles, or leaves of equal positions).
struct InteractionLists {
    std::vector<Vec3<double>> images{{0, 0, 0}};  // shifts of the images that act; zero, the cells themselves, first
    Branch trunk;
    WalkSpace walk_space;

    std::span<Branch> branches() { return {branches_.data(), branch_count_}; }
    std::span<const Branch> branches() const { return {branches_.data(), branch_count_}; }
    // Sets the number of branches, all without targets. The memory of earlier branches is kept.
    void set_branches(std::size_t count);

    // Bytes held by the lists.
    std::size_t bytes() const;

  private:
    std::vector<Branch> branches_;
    std::size_t branch_count_ = 0;
};

}  // namespace trellis
