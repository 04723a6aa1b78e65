// Where particles can be: in all of space, or in a box that repeats.
#pragma once

#include <limits>

#include "trellis/base/vec.hpp"

namespace trellis {

// Along an axis, both faces are infinite, or space repeats from face to face.
struct Region {
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    Vec3<double> low{-infinity, -infinity, -infinity}, high{infinity, infinity, infinity};

    bool repeats(std::size_t axis) const { return high[axis] < infinity; }
    bool repeats() const { return repeats(0) || repeats(1) || repeats(2); }

    // The image of a finite place with low <= place < high; the same bits if it is there already.
    Vec3<double> wrapped(const Vec3<double>& place) const;

    // Throws InputError unless, along each axis, both faces are infinite, or both finite and low < high.
    void check() const;

    friend bool operator==(const Region&, const Region&) = default;
};

}  // namespace trellis
