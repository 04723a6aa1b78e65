// The particles that stand for all when space is cut.
#pragma once

#include <span>
#include <vector>

#include "trellis/ranks/domain/cuts.hpp"

namespace trellis {

// count rows at equal strides, or all if there are no more, each with an equal part of the work. Rows that are next to
// each other are near each other in space, so that each sample stands for its neighbourhood, which errs much less than
// a random draw does. Positions are wrapped into the region.
std::vector<Sample> sample(std::span<const Vec3<double>> positions, const Region& region, std::size_t count,
                           double work);

}  // namespace trellis
