// Images in a periodic box: the nearest one, and those of the box that touch it.
#pragma once

#include <cmath>
#include <vector>

#include "trellis/particles/region.hpp"

namespace trellis {

// The sides of a region, 0 along an axis that is not periodic.
inline Vec3<double> sides_of(const Region& region) {
    Vec3<double> sides{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (region.periodic(axis)) sides[axis] = region.high[axis] - region.low[axis];
    return sides;
}

class NearestImage {
  public:
    explicit NearestImage(const Region& region) : NearestImage(sides_of(region)) {}
    // sides: 0 along an axis that is not periodic.
    explicit NearestImage(const Vec3<double>& sides) : side_(sides) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (sides[axis] > 0) inverse_[axis] = 1 / sides[axis];
    }

    // The shortest of the differences d between a particle and the images of another.
    Vec3<double> of(Vec3<double> d) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double sides = d[axis] * inverse_[axis];
            if (std::abs(sides) > 0.5) d[axis] -= side_[axis] * std::rint(sides);  // rounding may be a call: it is rare
        }
        return d;
    }

  private:
    Vec3<double> side_, inverse_{0, 0, 0};  // 0: not periodic
};

// The shifts by at most one period along each periodic axis, zero first: 27 if all axes are periodic, one if no axis
// is.
std::vector<Vec3<double>> nearest_images(const Region& region);

}  // namespace trellis
