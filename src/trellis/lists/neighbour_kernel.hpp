// Which of many places are near a box: compiled for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/isa.hpp"

namespace trellis {

// j-particles, component by component; 16 more than there are may be read.
struct StagedPlaces {
    const float *x, *y, *z;
    const float* reach;  // how far each reaches; null: not at all
};

struct NearBox {
    float low[3], high[3];
    float reach;  // how far the box reaches, at least
};

// Writes the numbers in [begin, end) of those nearer to the box than either reaches. Returns how many; out has room for 16 more than there can be.
TRELLIS_DECLARE_VARIANTS(std::size_t find_near(const StagedPlaces& places, std::uint32_t begin, std::uint32_t end,
                                               const NearBox& box, std::uint32_t* out))

}  // namespace trellis
