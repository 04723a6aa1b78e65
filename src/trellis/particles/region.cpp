#include "trellis/particles/region.hpp"

#include <cmath>

#include "trellis/base/error.hpp"

namespace trellis {

Vec3<double> Region::wrapped(const Vec3<double>& position) const {
    Vec3<double> inside = position;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (position[axis] >= low[axis] && position[axis] < high[axis]) continue;
        const double side = high[axis] - low[axis], beyond = std::fmod(position[axis] - low[axis], side);
        inside[axis] = low[axis] + (beyond < 0 ? beyond + side : beyond);
        // A position that was rounded up to the upper face moves to the lower one.
        if (inside[axis] >= high[axis]) inside[axis] = low[axis];
    }
    return inside;
}

void Region::check() const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool open = low[axis] == -infinity && high[axis] == infinity;
        const bool box = std::isfinite(low[axis]) && std::isfinite(high[axis]) && low[axis] < high[axis];
        if (!open && !box)
            throw InputError(std::string("along ") + "xyz"[axis] + " the region goes from " + to_text(low[axis]) +
                             " to " + to_text(high[axis]) +
                             ": allowed are two infinite faces, or two finite ones, the lower first");
    }
}

}  // namespace trellis
