// The nearest image in a periodic region.
#pragma once

#include <cmath>

#include "trellis/particles/region.hpp"

namespace trellis {

class NearestImage {
  public:
    explicit NearestImage(const Region& region) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!region.periodic(axis)) continue;
            side_[axis] = region.high[axis] - region.low[axis];
            inverse_[axis] = 1 / side_[axis];
        }
    }

    // The shortest of the differences d between a particle and the images of another.
    Vec3<double> of(Vec3<double> d) const {
        for (std::size_t axis = 0; axis < 3; ++axis) d[axis] -= side_[axis] * std::rint(d[axis] * inverse_[axis]);
        return d;
    }

  private:
    Vec3<double> side_{0, 0, 0}, inverse_{0, 0, 0};  // 0: not periodic
};

}  // namespace trellis
