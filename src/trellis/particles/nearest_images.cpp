#include "trellis/particles/nearest_images.hpp"

namespace trellis {

std::vector<Vec3<double>> nearest_images(const Region& region) {
    std::vector<Vec3<double>> shifts{{0, 0, 0}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!region.periodic(axis)) continue;
        const double period = region.high[axis] - region.low[axis];
        const std::size_t along_axes_before = shifts.size();
        for (const double step : {-period, period})
            for (std::size_t k = 0; k < along_axes_before; ++k) {
                shifts.push_back(shifts[k]);
                shifts.back()[axis] = step;
            }
    }
    return shifts;
}

}  // namespace trellis
