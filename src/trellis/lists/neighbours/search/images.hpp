// Images of particles in a periodic box.
#pragma once

#include <vector>

#include "trellis/particles/box.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// The shifts by whole periods that may bring a point of box `what` to within the distance `reach` of a point of box
// `to`; the zero vector first, if it is one of them. Along axes that are not periodic, shifts are zero.
std::vector<Vec3<double>> shifts_near(const Region& region, const Extent& what, const Extent& to, double reach);

}  // namespace trellis
