// The walk of a tree for the blocks that a group may interact with, the same on the host and on devices.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trellis/lists/neighbours/search/search_tree.hpp"

namespace trellis {

// Calls take(first slot, end), in ascending order, for each maximal range of slots whose blocks, moved by the shift,
// the group may interact with. The walk begins at the cell `root` and skips the cell `left_out`.
template <class Take>
TRELLIS_HOST_DEVICE void each_near_range(const SearchTreeView& tree, std::uint32_t root, std::uint32_t left_out,
                                         const WiderSearch& search, const Zone& group, const Vec3<double>& shift,
                                         Take&& take) {
    constexpr int most_waiting = 66;  // a cell has at least one key bit more than its parent, of 63
    std::uint32_t waiting[most_waiting], first = 0, end = 0;
    int count = 0;
    waiting[count++] = root;
    const auto near = [&](const Zone& zone) {
        return search.may_interact(group, moved(zone.bounds, shift), zone.radius);
    };
    while (count > 0) {
        const std::uint32_t index = waiting[--count];
        if (index == left_out || !near(tree.zones[index])) continue;
        const Cell& cell = tree.cells[index];
        if (!cell.is_leaf()) {
            waiting[count++] = cell.child + 1;
            waiting[count++] = cell.child;
            continue;
        }
        for (std::uint32_t b = 0; b < SearchTree::blocks_of(cell.count); ++b) {
            if (!near(tree.blocks[tree.first_block[index] + b])) continue;
            const std::uint32_t begin = cell.first + b * SearchTree::block_size;
            if (begin != end) {
                if (end > first) take(first, end);
                first = begin;
            }
            end = begin + SearchTree::block_size < cell.end() ? begin + SearchTree::block_size : cell.end();
        }
    }
    if (end > first) take(first, end);
}

}  // namespace trellis
