// The images of a periodic box that touch it.
#pragma once

#include <vector>

#include "trellis/particles/region.hpp"

namespace trellis {

// The shifts by at most one period along each periodic axis, zero first: 27 if all axes are periodic, one if no axis
// is.
std::vector<Vec3<double>> nearest_images(const Region& region);

}  // namespace trellis
