// The space of the particles: all of it, or a box that is periodic along some axes.
#pragma once

#include <limits>

#include "trellis/base/vec.hpp"

namespace trellis {

// Along an axis, both faces are infinite, or space is periodic from face to face.
struct Region {
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    Vec3<double> low{-infinity, -infinity, -infinity}, high{infinity, infinity, infinity};

    bool periodic(std::size_t axis) const { return high[axis] < infinity; }
    bool periodic() const { return periodic(0) || periodic(1) || periodic(2); }

    // The image of a finite position with low <= image < high; the same bits if the position lies there already.
    Vec3<double> wrapped(const Vec3<double>& position) const;

    // Throws InputError unless, along each axis, both faces are infinite, or both finite and low < high.
    void check() const;

    friend bool operator==(const Region&, const Region&) = default;
};

}  // namespace trellis
