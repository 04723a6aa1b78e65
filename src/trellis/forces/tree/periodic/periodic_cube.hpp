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

// True if all periods are equal, up to rounding.
bool has_equal_periods(const Region& region);
// The period of a region whose periods are equal; 0 in open space.
double period_of(const Region& region);
// The three sides, as a sentence names them.
std::string text_of_sides(const Region& region);

// The cube of a region whose periods are equal. Along open axes its centre is that of the particles of all ranks:
// collective.
PeriodicCube cube_of(const ParticleSet& particles, Comm& comm);

// Throws RunError, naming the force, for a particle beyond the cube's reach.
void check_reach(const ParticleSet& particles, const PeriodicCube& cube, std::string_view force);

}  // namespace trellis
