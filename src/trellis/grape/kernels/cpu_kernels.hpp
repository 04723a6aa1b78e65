// The inner loops of the kernels on the processor, compiled for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/isa.hpp"
#include "trellis/grape/kernels/kernels.hpp"

namespace trellis {

// A block of i-particles and a block of j-particles.
struct PairsBlock {
    const Vec3<double>* targets;
    std::size_t target_count;
    const Vec3<double>* sources;
    const double* masses;
    std::size_t source_count;
    double softening;
    double length_unit, mass_unit;
    GrapeForce* sums;  // one for each i-particle, overwritten
};

// Sums the forces of a block, in the units of the particles.
TRELLIS_DECLARE_VARIANTS(void sum_pairs(const PairsBlock& block))

// A search among j-particles, whose coordinates are in columns that are padded with infinities to nearby_padding.
struct NearbySearch {
    const double *x, *y, *z;
    std::size_t count;
    std::uint32_t first;  // number of the first j-particle
    Vec3<double> at;
    double radius;
};
inline constexpr std::size_t nearby_padding = 8;

// Writes the numbers of the j-particles that are nearer than the radius, in order, and returns their count. found must
// have room for count plus the padding.
TRELLIS_DECLARE_VARIANTS(std::size_t find_nearby(const NearbySearch& search, std::uint32_t* found))

}  // namespace trellis
