// The two kernels of the GRAPE calls, by name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/gpu.hpp"
#include "trellis/base/vec.hpp"

namespace trellis {

// a = sum m_j (x_j - x_i) / (r_ij^2 + epsilon^2)^(3/2), and the potential sum m_j / sqrt(r_ij^2 + epsilon^2): positive,
// as GRAPE computes it, and without the gravitational constant.
struct GrapeForce {
    Vec3<double> acceleration;
    double potential;
};

// Forces by direct summation. Memory: positions of i-particles, positions and masses of j-particles, a GrapeForce for
// each i-particle in each part, and the results, a GrapeForce for each i-particle.
//
// Differences of positions are those of doubles to 2^-48 of the coordinates; the rest of a pair is computed in single
// precision. At most 32 pair forces are added up in single precision before they join a sum in double precision.
// Lengths and masses are divided by their units first, so that any unit system fits into single precision.
inline constexpr const char* grape_forces_kernel = "grape.forces";
struct GrapeForcesCall {
    std::uint64_t first_target, targets;
    std::uint64_t first_source, sources;
    std::uint64_t parts;  // number of parts of the j-particles, summed independently: grape_parts(targets, sources)
    double softening;     // epsilon
    double length_unit, mass_unit;  // powers of two
};

// The number of i-particles that are computed together.
inline constexpr std::size_t grape_target_block = 256;

// The number of j-particles of a part; the last part may have fewer.
constexpr std::size_t grape_part_length(std::size_t sources, std::size_t parts) {
    return (sources + parts - 1) / parts;
}

// The number of parts that gives work to all threads of a device, each part of at least 2048 j-particles.
constexpr std::size_t grape_parts(std::size_t targets, std::size_t sources) {
    const std::size_t blocks = (targets + grape_target_block - 1) / grape_target_block;
    const std::size_t wanted = 1024 / (blocks + 1) + 1, most = (sources + 2047) / 2048;
    return wanted < most ? wanted : most > 0 ? most : 1;
}

// Neighbours: for each i-particle, itself included, the j-particles at r_ij < h_i, computed in double precision.
// Memory: positions, radii h, begins of the lists (64 bits, one more than i-particles), and the lists (32 bits), which
// have room for `room` entries. If more were found, only the begins are valid.
inline constexpr const char* grape_neighbours_kernel = "grape.neighbours";
struct GrapeNeighboursCall {
    std::uint64_t first_target, targets;
    std::uint64_t first_source, sources;
    std::uint64_t room;
};

// Registers the kernels for all kinds of devices. A second call changes nothing.
void register_grape_kernels();

// The part for GPUs.
TRELLIS_DECLARE_FOR_GPUS(void register_grape_kernels_for_gpus())

}  // namespace trellis
