// Grid kernels (devices/grid_kernel.hpp) that make the neighbour lists of neighbour_lists.hpp: the ranges of each
// group, then the entries of each block. Groups and blocks may write to the common memory in any order. If more are
// found than there is room for, only the totals are valid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "trellis/base/gpu.hpp"
#include "trellis/devices/grid_kernel.hpp"
#include "trellis/devices/shared_words.hpp"
#include "trellis/lists/neighbours/neighbour_lists.hpp"
#include "trellis/lists/neighbours/search/group_frame.hpp"
#include "trellis/lists/neighbours/search/near_ranges.hpp"

namespace trellis {

// Registers the kernels for all kinds of devices; further calls change nothing.
void register_list_kernels();
// The part for GPUs.
TRELLIS_DECLARE_FOR_GPUS(void register_list_kernels_for_gpus())

// The number of ranges of all groups and of entries of all blocks, found or with room for them.
struct ListTotals {
    std::uint64_t ranges, entries;
};

// The ranges of a group, or the entries of a block, within those of all.
struct Stretch {
    std::uint64_t begin, count;
};

// The parameters of both kernels. Ghosts follow the local particles: their cells begin at the cell ghost_root, which is
// 0 without ghosts. slots: number of local particles and ghosts. images: number of shifts.
struct SearchOnDevice {
    GroupFrame frame;
    ListTotals room;
    std::uint32_t slots, ghost_root, images;
};

// An element is a group: it finds its ranges, and writes its number to its blocks.
struct FindRanges {
    static constexpr const char* name = "neighbours.find_ranges";
    static constexpr Phase phase = Phase::make_interaction_list;
    static constexpr bool uneven = true;

    SearchOnDevice search;
    const Cell* cells = nullptr;
    const Zone* zones = nullptr;
    const std::uint32_t* first_block = nullptr;
    const Zone* blocks = nullptr;
    const std::uint32_t* leaves = nullptr;
    const Vec3<double>* shifts = nullptr;
    ListTotals* totals = nullptr;
    Stretch* stretches = nullptr;       // one for each group
    SlotRange* ranges = nullptr;        // those of all groups
    std::uint32_t* group_of = nullptr;  // one for each block
    auto arrays() {
        return std::tie(cells, zones, first_block, blocks, leaves, shifts, totals, stretches, ranges, group_of);
    }
    auto sizes(std::uint64_t groups) const {
        const std::uint64_t cells_used = std::uint64_t{search.ghost_root} + 1;
        return array_sizes(cells_used, cells_used, cells_used, 1, groups, std::max(search.images, 1U), 1, groups,
                           search.room.ranges, 1);
    }

    TRELLIS_HOST_DEVICE void operator()(std::size_t g) const {
        const std::uint32_t leaf = leaves[g];
        for (std::uint32_t b = 0; b < SearchTree::blocks_of(cells[leaf].count); ++b)
            group_of[first_block[leaf] + b] = static_cast<std::uint32_t>(g);
        std::uint64_t count = 0;
        each_range(leaf, [&](const SlotRange&) { ++count; });
        const std::uint64_t begin = reserve(totals->ranges, count);
        stretches[g] = {begin, count};
        if (begin + count > search.room.ranges) return;
        SlotRange* next = ranges + begin;
        each_range(leaf, [&](const SlotRange& range) { *next++ = range; });
    }

  private:
    template <class Take>
    TRELLIS_HOST_DEVICE void each_range(std::uint32_t leaf, Take&& take) const {
        constexpr std::uint32_t nowhere = ~0u;
        const SearchTreeView tree{cells, zones, first_block, blocks};
        for (std::uint32_t image = 0; image < search.images; ++image)
            each_near_range(tree, 0, image == 0 ? leaf : nowhere, search.frame.search, zones[leaf], shifts[image],
                            [&](std::uint32_t first, std::uint32_t end) { take(SlotRange{first, end, image}); });
        if (search.ghost_root > 0)
            each_near_range(tree, search.ghost_root, nowhere, search.frame.search, zones[leaf], shifts[0],
                            [&](std::uint32_t first, std::uint32_t end) { take(SlotRange{first, end, 0}); });
    }
};

// An element is a block: it finds the numbers of the j-particles near it (see NeighbourGroup), as find_near does.
struct FindEntries {
    static constexpr const char* name = "neighbours.find_entries";
    static constexpr Phase phase = Phase::make_interaction_list;
    static constexpr bool uneven = true;

    SearchOnDevice search;
    const Cell* cells = nullptr;
    const Zone* zones = nullptr;
    const std::uint32_t* first_block = nullptr;
    const Zone* blocks = nullptr;
    const std::uint32_t* leaves = nullptr;
    const Vec3<double>* shifts = nullptr;
    const Vec3<double>* positions = nullptr;  // one for each slot
    const double* radii = nullptr;
    const Stretch* ranges_of = nullptr;
    const SlotRange* ranges = nullptr;
    const std::uint32_t* group_of = nullptr;
    ListTotals* totals = nullptr;
    Stretch* stretches = nullptr;      // one for each block
    std::uint32_t* entries = nullptr;  // those of all blocks
    auto arrays() {
        return std::tie(cells, zones, first_block, blocks, leaves, shifts, positions, radii, ranges_of, ranges,
                        group_of, totals, stretches, entries);
    }
    auto sizes(std::uint64_t elements) const {
        return array_sizes(1, 1, 1, elements, 1, std::max(search.images, 1U), search.slots, search.slots, 1,
                           search.room.ranges, elements, 1, elements, search.room.entries);
    }

    TRELLIS_HOST_DEVICE void operator()(std::size_t block) const {
        const Stretch of_group = ranges_of[group_of[block]];
        if (of_group.begin + of_group.count > search.room.ranges) return;
        std::uint64_t count = 0;
        each_entry(block, [&](std::uint32_t, bool near) { count += near ? 1 : 0; });
        const std::uint64_t begin = reserve(totals->entries, count);
        stretches[block] = {begin, count};
        if (begin + count > search.room.entries) return;
        std::uint32_t* next = entries + begin;
        each_entry(block, [&](std::uint32_t number, bool near) {
            if (near) *next++ = number;
        });
    }

  private:
    // Calls take(number, near) for each j-particle outside the block.
    template <class Take>
    TRELLIS_HOST_DEVICE void each_entry(std::size_t block, Take&& take) const {
        const std::uint32_t group = group_of[block], leaf = leaves[group];
        const Cell cell = cells[leaf];
        const Vec3<double> centre = centre_of(zones[leaf]);
        const NearBox box = search.frame.box_of(blocks[block], zones[leaf], centre);
        std::uint32_t number = 0;
        const auto look = [&](std::uint32_t first, std::uint32_t end, const Vec3<double>& offset) {
            // A block that is not of this leaf, as a client may claim, has no particles beyond all slots.
            for (std::uint32_t slot = first; slot < std::min(end, search.slots); ++slot)
                take(number++, near(box, slot, offset));
        };
        const auto b = static_cast<std::uint32_t>(block - first_block[leaf]);
        const std::uint32_t own = cell.first + b * SearchTree::block_size;
        const std::uint32_t behind =
            own + SearchTree::block_size < cell.end() ? own + SearchTree::block_size : cell.end();
        look(cell.first, own, -centre);
        number += behind - own;
        look(behind, cell.end(), -centre);
        const Stretch listed = ranges_of[group];
        for (std::uint64_t k = listed.begin; k < listed.begin + listed.count; ++k)
            look(ranges[k].first, ranges[k].end, shifts[ranges[k].image] - centre);
    }

    TRELLIS_HOST_DEVICE bool near(const NearBox& box, std::uint32_t slot, const Vec3<double>& offset) const {
        const Vec3<double> at = positions[slot] + offset;
        float distance2 = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const float coordinate = search.frame.staged(at[axis]);
            const float outside = std::max(std::max(box.low[axis] - coordinate, coordinate - box.high[axis]), 0.0f);
            distance2 += outside * outside;
        }
        float reach = box.reach;
        if (search.frame.search.search != Search::gather)
            reach = std::max(reach, search.frame.staged(radii[slot] * search.frame.search.factor));
        return distance2 < reach * reach;
    }
};

using ListMakingKernels = GridKernels<FindRanges, FindEntries>;

}  // namespace trellis
