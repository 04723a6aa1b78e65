// The contents of a cell, made from its particles or from the contents of its children, by the same source on the host
// and on devices.
#pragma once

#include <algorithm>
#include <cmath>

#include "trellis/tree/cell.hpp"

namespace trellis {

// A sphere about a cell's centre of weight that contains all of its particles.
struct alignas(32) Sphere {
    Vec3<double> centre;
    double radius;
};

// The smallest box, with sides along the axes, around the particles of a cell.
using Bounds = Extent;

struct CellContents {
    Sphere sphere;
    Bounds bounds;
    double weight;  // the sum of the absolute weights
};

// The contents of a leaf. position_of(slot), weight(slot): of a particle.
template <class PositionOf, class Weight>
TRELLIS_HOST_DEVICE CellContents contents_of_leaf(const Cell& cell, const PositionOf& position_of,
                                                  const Weight& weight) {
    // Positions are relative to the first particle, so that no digits are lost far from the origin.
    const Vec3<double> origin = position_of(cell.first);
    Vec3<double> weighted{0, 0, 0}, plain{0, 0, 0};
    double total = 0;
    for (std::uint32_t s = cell.first; s < cell.end(); ++s) {
        const Vec3<double> offset = position_of(s) - origin;
        const double w = std::abs(weight(s));
        total += w;
        weighted += w * offset;
        plain += offset;
    }
    const Vec3<double> centre = origin + (total > 0 ? weighted / total : plain / static_cast<double>(cell.count));
    double radius2 = 0;
    Bounds bounds{origin, origin};
    for (std::uint32_t s = cell.first; s < cell.end(); ++s) {
        const Vec3<double> at = position_of(s), offset = at - centre;
        radius2 = std::max(radius2, dot(offset, offset));
        bounds = join(bounds, {at, at});
    }
    return {{centre, std::sqrt(radius2)}, bounds, total};
}

TRELLIS_HOST_DEVICE inline double farthest_corner(const Bounds& bounds, const Vec3<double>& centre) {
    const Vec3<double> below = centre - bounds.low, above = bounds.high - centre;
    const Vec3<double> reach{std::max(below.x, above.x), std::max(below.y, above.y), std::max(below.z, above.z)};
    return std::sqrt(dot(reach, reach));
}

// The contents of a cell from those of its children.
TRELLIS_HOST_DEVICE inline CellContents join(const CellContents& left, const CellContents& right) {
    const double total = left.weight + right.weight;
    const Vec3<double> apart = right.sphere.centre - left.sphere.centre;
    const double share = total > 0 ? right.weight / total : 0.5;
    const double distance = std::sqrt(dot(apart, apart));
    const Vec3<double> centre = left.sphere.centre + share * apart;
    const Bounds bounds = join(left.bounds, right.bounds);
    // The smaller of the sphere around both children's spheres and the one around the box; the factor covers rounding.
    const double around_spheres =
        std::max(share * distance + left.sphere.radius, (1 - share) * distance + right.sphere.radius);
    const double radius = std::min(around_spheres, farthest_corner(bounds, centre));
    return {{centre, radius * (1 + 1e-15)}, bounds, total};
}

// The squared distance from a position to the nearest point of a box.
TRELLIS_HOST_DEVICE inline double nearest_distance2(const Bounds& bounds, const Vec3<double>& at) {
    const Vec3<double> below = bounds.low - at, above = at - bounds.high;
    const Vec3<double> outside{std::max(std::max(below.x, above.x), 0.0), std::max(std::max(below.y, above.y), 0.0),
                               std::max(std::max(below.z, above.z), 0.0)};
    return dot(outside, outside);
}

}  // namespace trellis
