// The directions in which a thermostat acts: all, those across a flow, or those in the plane of a flat system.
#pragma once

#include "trellis/base/vec.hpp"

namespace trellis {

struct Axes {
    bool x = true, y = true, z = true;

    bool operator==(const Axes&) const = default;
    int count() const { return (x ? 1 : 0) + (y ? 1 : 0) + (z ? 1 : 0); }

    // The components along these axes, 0 along the others.
    Vec3<double> part_of(const Vec3<double>& v) const { return {x ? v.x : 0, y ? v.y : 0, z ? v.z : 0}; }
    // `before` with the components of `after` along these axes.
    Vec3<double> changed(const Vec3<double>& before, const Vec3<double>& after) const {
        return {x ? after.x : before.x, y ? after.y : before.y, z ? after.z : before.z};
    }
};

}  // namespace trellis
