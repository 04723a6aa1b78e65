// The search for positions near a box, compiled for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/isa.hpp"

namespace trellis {

// j-particles, component by component; up to 16 values after the last one are read, as of arrays of numbers.
struct StagedPositions {
    const float *x, *y, *z;
    const float* reach;  // search radii; null: all 0
};

struct NearBox {
    float low[3], high[3];
    float reach;  // search radius of the box
};

// Writes the numbers in [begin, end) of the positions nearer to the box than the larger of both search radii, and
// returns their count; out has room for end - begin + 16.
TRELLIS_DECLARE_VARIANTS(std::size_t find_near(const StagedPositions& positions, std::uint32_t begin, std::uint32_t end,
                                               const NearBox& box, std::uint32_t* out))

// The positions and search radii of the i-particles of a cluster; unused ones repeat others.
struct ClusterPoints {
    float x[4], y[4], z[4], reach[4];
    float margin;  // added to search radii
};

// Writes those of `count` numbers whose position is nearer to a point than the larger of both search radii, in their
// order, and returns how many there are; out has room for count + 16.
TRELLIS_DECLARE_VARIANTS(std::size_t find_near_points(const StagedPositions& positions, const std::uint32_t* numbers,
                                                      std::uint32_t count, const ClusterPoints& points,
                                                      std::uint32_t* out))

}  // namespace trellis
