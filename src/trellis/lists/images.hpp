// Images of particles in a box that repeats.
#pragma once

#include <vector>

#include "trellis/particles/box.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// The whole numbers of periods, as vectors, by which anything in one box may come within reach of something in another; the zero vector first, if it is
// one of them. Along axes that do not repeat, zero.
std::vector<Vec3<double>> shifts_near(const Region& region, const Extent& what, const Extent& to, double reach);

}  // namespace trellis
