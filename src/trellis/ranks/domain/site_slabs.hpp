// The division of space among the ranks of several sites: the first cuts are between sites, so that a site has slabs of
// its own, and only the faces of these are far.
#pragma once

#include <span>

#include "trellis/ranks/domain/shape.hpp"

namespace trellis {

// The shape of least surface among those in which a slab begins with the first rank of each site: Comm::site_begins,
// which rise from 0. A slab for each rank always does.
Shape best_shape(int ranks, const Vec3<double>& sides, std::span<const int> site_begins);

// Whether slabs begin with these ranks.
bool slabs_begin_at(const Shape& shape, std::span<const int> ranks);

}  // namespace trellis
