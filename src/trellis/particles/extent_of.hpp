// The extent of many positions.
#pragma once

#include <span>

#include "trellis/particles/box.hpp"

namespace trellis {

// There are some positions. The bits are the same for any number of threads.
Extent extent_of(std::span<const Vec3<double>> positions);

}  // namespace trellis
