// The search for places near a box: compiled for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/isa.hpp"

namespace trellis {

// j-particles, component by component; 16 more than there are may be read.
struct StagedPlaces {
    const float *x, *y, *z;
    const float* reach;  // search radius of each; null: 0
};

struct NearBox {
    float low[3], high[3];
    float reach;  // search radius of the box
};

// Writes the numbers in [begin, end) of the places nearer to the box than the larger of both search radii. Returns how
// many; out has room for 16 more than there can be.
TRELLIS_DECLARE_VARIANTS(std::size_t find_near(const StagedPlaces& places, std::uint32_t begin, std::uint32_t end,
                                               const NearBox& box, std::uint32_t* out))

}  // namespace trellis
