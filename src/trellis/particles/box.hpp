// The cube that contains all particles: the root cell of the tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "trellis/base/vec.hpp"

namespace trellis {

// A cube, half open: low <= position < low + side on each axis, for every particle it was made for.
struct Box {
    Vec3<double> low{0, 0, 0};
    double side = 1;  // > 0
};

// The smallest box, with sides along the axes, around a set of positions.
struct Extent {
    Vec3<double> low, high;
};

TRELLIS_HOST_DEVICE inline Extent join(const Extent& a, const Extent& b) {
    return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
            {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

TRELLIS_HOST_DEVICE inline double largest(const Vec3<double>& v) { return std::max(std::max(v.x, v.y), v.z); }

// The cube around an extent.
TRELLIS_HOST_DEVICE inline Box cube_around(const Extent& extent) {
    const Vec3<double>&low = extent.low, &high = extent.high;
    const double longest = largest(high - low);
    // The first margin keeps the highest particle inside, however rounding falls; the other two keep the side above
    // zero where all positions are equal.
    const double reach = std::max(largest({std::abs(low.x), std::abs(low.y), std::abs(low.z)}),
                                  largest({std::abs(high.x), std::abs(high.y), std::abs(high.z)}));
    const double side = std::max(longest * (1 + 1e-12) + reach * 1e-14, std::numeric_limits<double>::min() * 1e10);
    return {(low + high) * 0.5 - Vec3<double>{side, side, side} * 0.5, side};
}

// The extent of positions, one at least. The bits are the same for any number of threads.
Extent extent_of(std::span<const Vec3<double>> positions);

// The smallest cube, up to rounding, around positions, all finite; the unit cube if there are no positions, and a tiny
// one if all are equal.
Box bounding_cube(std::span<const Vec3<double>> positions);

}  // namespace trellis
