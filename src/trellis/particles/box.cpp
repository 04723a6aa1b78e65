#include "trellis/particles/box.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

struct Extent {
    Vec3<double> low, high;
};

Extent join(const Extent& a, const Extent& b) {
    return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
            {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

}  // namespace

Box bounding_cube(std::span<const Vec3<double>> positions) {
    if (positions.empty()) return {};
    const Extent extent = parallel_reduce(
        positions.size(), Extent{positions[0], positions[0]},
        [&](std::size_t begin, std::size_t end) {
            Extent block{positions[begin], positions[begin]};
            for (std::size_t k = begin; k < end; ++k) block = join(block, {positions[k], positions[k]});
            return block;
        },
        join);
    const Vec3<double> size = extent.high - extent.low;
    const double longest = std::max({size.x, size.y, size.z});
    // The margins keep the topmost particle inside whatever the rounding; the later two give a single place a cell.
    const double reach = std::max({std::abs(extent.low.x), std::abs(extent.low.y), std::abs(extent.low.z),
                                   std::abs(extent.high.x), std::abs(extent.high.y), std::abs(extent.high.z)});
    const double side = std::max(longest * (1 + 1e-12) + reach * 1e-14, std::numeric_limits<double>::min() * 1e10);
    return {(extent.low + extent.high) * 0.5 - Vec3<double>{side, side, side} * 0.5, side};
}

}  // namespace trellis
