// The displacements of a block of particles, compiled for each instruction set.
#pragma once

#include <cstdint>

#include "trellis/base/isa.hpp"
#include "trellis/base/vec.hpp"

namespace trellis {

// A sphere that contains the displacement vectors of a set of particles.
struct Displacements {
    Vec3<double> centre;
    double radius;
};

// The particles of a block.
inline constexpr std::uint32_t most_displacements = 16;

// now: the positions of all rows; rows, then: the row and the former position of each of `count` particles, at least 1
// and at most most_displacements. The centre is that of the box around the displacements.
TRELLIS_DECLARE_VARIANTS(Displacements displacements_of(const Vec3<double>* now, const std::uint32_t* rows,
                                                        const Vec3<double>* then, std::uint32_t count))

}  // namespace trellis
