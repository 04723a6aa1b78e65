// The cube that holds all particles: the root cell of the tree.
#pragma once

#include <span>

#include "trellis/base/vec.hpp"

namespace trellis {

// Half open: low <= position < low + side on each axis, for every particle it was made for.
struct Box {
    Vec3<double> low{0, 0, 0};
    double side = 1;  // > 0
};

// The smallest cube, up to rounding, around the positions (all finite). A unit cube if there are none; a tiny one if all are
// at one place.
Box bounding_cube(std::span<const Vec3<double>> positions);

}  // namespace trellis
