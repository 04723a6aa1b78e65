// The units in which a search compares positions with search radii around one group: relative to the group's centre, in
// single precision, the same on the host and on devices.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "trellis/lists/neighbours/search/images.hpp"
#include "trellis/lists/neighbours/search/neighbour_kernel.hpp"
#include "trellis/lists/neighbours/search/search_tree.hpp"

namespace trellis {

struct GroupFrame {
    // The error of positions in single precision, relative to a group, as a fraction of the distances within it.
    static constexpr double rounding = 1e-6;

    WiderSearch search;     // widened by the skin, and by rounding
    double per_length = 1;  // scales lengths so that their squares are in the range of single precision

    TRELLIS_HOST_DEVICE float staged(double length) const { return static_cast<float>(length * per_length); }

    // The rounding error of distances between positions relative to the centre of a group, up to this one.
    TRELLIS_HOST_DEVICE double margin_of(double reach, const Zone& group) const {
        return std::max(reach, largest(group.bounds.high - group.bounds.low)) * rounding;
    }

    // The box of a block relative to the centre of its group, widened by the rounding error.
    TRELLIS_HOST_DEVICE NearBox box_of(const Zone& block, const Zone& group, const Vec3<double>& centre) const {
        NearBox box{};
        const double reach = search.search == Search::scatter ? 0 : block.radius * search.factor;
        const double margin = margin_of(reach, group);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box.low[axis] = staged(block.bounds.low[axis] - centre[axis] - margin);
            box.high[axis] = staged(block.bounds.high[axis] - centre[axis] + margin);
        }
        box.reach = staged(reach);
        return box;
    }
};

inline GroupFrame frame_of(const SearchTree& own, const SearchTree& ghosts, Search search, double skin) {
    GroupFrame frame{{search, (1 + skin) * (1 + GroupFrame::rounding)}};
    double longest = 0;
    for (const SearchTree* tree : {&own, &ghosts})
        if (tree->size() > 0) {
            const auto& [bounds, radius] = tree->zone(0);
            longest = std::max({longest, largest(bounds.high - bounds.low), radius * frame.search.factor});
        }
    if (longest > 0) frame.per_length = std::ldexp(1.0, -std::ilogb(longest));
    return frame;
}

TRELLIS_HOST_DEVICE inline Vec3<double> centre_of(const Zone& group) {
    return 0.5 * (group.bounds.low + group.bounds.high);
}

// The shifts of the images that particles of the tree may interact with; the first is zero. The tree has particles.
inline std::vector<Vec3<double>> image_shifts(const SearchTree& own, const GroupFrame& frame, const Region& region) {
    const Zone& all = own.zone(0);
    return shifts_near(region, all.bounds, all.bounds, all.radius * frame.search.factor);
}

}  // namespace trellis
