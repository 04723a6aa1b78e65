#include "trellis/lists/neighbours/search/images.hpp"

#include <algorithm>
#include <cmath>

namespace trellis {

namespace {

// The shifts along one axis.
std::vector<double> shifts_along(const Region& region, std::size_t axis, double low, double high) {
    if (!region.periodic(axis)) return low <= 0 && high >= 0 ? std::vector<double>{0} : std::vector<double>{};
    const double period = region.high[axis] - region.low[axis];
    std::vector<double> shifts;
    for (double step = std::ceil(low / period); step <= std::floor(high / period); ++step)
        shifts.push_back(step * period);
    return shifts;
}

}  // namespace

std::vector<Vec3<double>> shifts_near(const Region& region, const Extent& what, const Extent& to, double reach) {
    std::vector<double> along[3];
    for (std::size_t axis = 0; axis < 3; ++axis)
        along[axis] =
            shifts_along(region, axis, to.low[axis] - what.high[axis] - reach, to.high[axis] - what.low[axis] + reach);
    std::vector<Vec3<double>> shifts;
    for (const double x : along[0])
        for (const double y : along[1])
            for (const double z : along[2]) shifts.push_back({x, y, z});
    const auto zero = std::ranges::find(shifts, Vec3<double>{0, 0, 0});
    if (zero != shifts.end()) std::rotate(shifts.begin(), zero, zero + 1);
    return shifts;
}

}  // namespace trellis
