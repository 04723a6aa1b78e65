#include "trellis/forces/tree/periodic/periodic_cube.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/error.hpp"
#include "trellis/particles/box.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

// The finest accuracy, relative to forces that do not cancel.
constexpr double finest_in_box = 1e-6;

// True if all periods are equal, up to rounding.
bool has_equal_periods(const Region& region) {
    double shortest = Region::infinity, longest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!region.periodic(axis)) continue;
        shortest = std::min(shortest, region.high[axis] - region.low[axis]);
        longest = std::max(longest, region.high[axis] - region.low[axis]);
    }
    return longest - shortest <= 1e-12 * longest;
}

std::string text_of_sides(const Region& region) {
    std::array<std::string, 3> sides;
    for (std::size_t axis = 0; axis < 3; ++axis)
        sides[axis] = region.periodic(axis) ? to_text(region.high[axis] - region.low[axis]) : "infinity";
    return sides[0] + ", " + sides[1] + " and " + sides[2];
}

[[noreturn]] void refuse_reach(std::size_t row, std::size_t axis, double apart, const PeriodicCube& cube,
                               std::string_view force) {
    const std::string particle = "the particle at index " + std::to_string(row), under(force);
    if (!cube.periodic[axis])
        throw RunError(particle + " is " + to_text(apart) + " from the middle of all along " + "xyz"[axis] +
                       ", where the box is open: allowed under " + under + " is up to " + to_text(cube.reach()) +
                       ", five eighths of the period");
    throw RunError(particle + " has gone " + to_text(apart - 0.5 * cube.side) +
                   " beyond the periodic box since it was last brought back: allowed under " + under +
                   " is up to an eighth of the side");
}

}  // namespace

void check_cube(const Region& region, double accuracy, const std::string& allowed) {
    if (!has_equal_periods(region))
        throw InputError("the particles' periodic box has the sides " + text_of_sides(region) + ": allowed " + allowed);
    if (accuracy < finest_in_box)
        throw InputError("accuracy is " + to_text(accuracy) + ": allowed in a periodic box is " +
                         to_text(finest_in_box) + " or more");
}

double period_of(const Region& region) {
    double period = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (region.periodic(axis)) period = region.high[axis] - region.low[axis];
    return period;
}

PeriodicCube cube_of(const ParticleSet& particles, Comm& comm) {
    const Region& region = particles.region();
    constexpr double infinity = Region::infinity;
    Extent extent{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
    PeriodicCube cube{
        .side = period_of(region),
        .periodic = {region.periodic(0), region.periodic(1), region.periodic(2)},
    };
    if (cube.periodic != all_periodic) {
        for (const Vec3<double>& place : particles[position]) extent = join(extent, {place, place});
        extent = all_reduce(comm, extent, [](const Extent& a, const Extent& b) { return join(a, b); });
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool any = extent.low[axis] <= extent.high[axis];
        cube.centre[axis] = cube.periodic[axis] ? 0.5 * (region.low[axis] + region.high[axis])
                            : any               ? 0.5 * (extent.low[axis] + extent.high[axis])
                                                : 0;
    }
    return cube;
}

void check_reach(const ParticleSet& particles, const PeriodicCube& cube, std::string_view force) {
    const auto positions = particles[position];
    for (std::size_t row = 0; row < positions.size(); ++row)
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (const double apart = std::abs(positions[row][axis] - cube.centre[axis]); apart > cube.reach())
                refuse_reach(row, axis, apart, cube, force);
}

}  // namespace trellis
