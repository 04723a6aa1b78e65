// The unit of length of a cell's expansions.
#pragma once

#include <algorithm>

#include "trellis/base/vec.hpp"

namespace trellis {

// The radius of the cell. Cells whose particles are all at one place do not depend on their unit, which need only be
// small enough for its powers not to overflow. side: of the cell; unit_around: of the cell around it.
TRELLIS_HOST_DEVICE inline double unit_of_cell(double radius, double side, double unit_around) {
    constexpr double least = 1e-30;  // its reciprocal is finite in single precision
    const double unit = radius > 0 ? radius : std::min(side, unit_around);
    return unit > least ? unit : least;
}

}  // namespace trellis
