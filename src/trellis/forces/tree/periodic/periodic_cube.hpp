// A cube that repeats along one axis or more.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "trellis/base/vec.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

inline constexpr std::array<bool, 3> all_periodic{true, true, true};

// Its side is the period.
struct PeriodicCube {
    Vec3<double> centre{0, 0, 0};
    double side = 1;
    std::array<bool, 3> periodic = all_periodic;

    // The distance from the centre along each axis within which particles may be, so that they need not be wrapped at
    // each step.
    double reach() const { return 0.625 * side; }
};

// Throws InputError for periods that differ, whose sentence ends with the allowed ones, and for an accuracy of forces
// that the field between the points does not have everywhere (image_points.hpp).
void check_cube(const Region& region, double accuracy, const std::string& allowed);
// The period of a region whose periods are equal; 0 in open space.
double period_of(const Region& region);

// The cube of a region whose periods are equal. Along open axes its centre is that of the particles of all ranks:
// collective.
PeriodicCube cube_of(const ParticleSet& particles, Comm& comm);

// Throws RunError, naming the force, for a particle beyond the cube's reach.
void check_reach(const ParticleSet& particles, const PeriodicCube& cube, std::string_view force);

}  // namespace trellis
