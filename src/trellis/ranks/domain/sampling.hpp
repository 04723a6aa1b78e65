// The particles that represent all others when space is cut.
#pragma once

#include <span>
#include <vector>

#include "trellis/ranks/domain/cuts.hpp"

namespace trellis {

// Returns `count` rows at equal strides, or all rows if there are fewer, each with an equal part of work. Neighbouring
// rows are near each other in space, so that each sample represents its neighbourhood, with a much smaller error than
// random draws have. Positions are wrapped into the region.
std::vector<Sample> sample(std::span<const Vec3<double>> positions, const Region& region, std::size_t count,
                           double work);

}  // namespace trellis
