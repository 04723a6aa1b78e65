// The rungs that become levels: particles of other rungs take the shorter steps of the next one.
//
// A level is computed for all particles of its rung and of deeper ones. Where few of these have the rung itself, it
// costs less to give them shorter steps than to have the level.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trellis/integrate/rungs/rung.hpp"

namespace trellis {

using RungCounts = std::array<std::uint64_t, deepest_rung + 1>;  // particles of each rung

inline RungCounts added(RungCounts a, const RungCounts& b) {
    for (std::size_t rung = 0; rung < a.size(); ++rung) a[rung] += b[rung];
    return a;
}

using LevelOfRung = std::array<unsigned, deepest_rung + 1>;  // the rung of the level of each rung, not above it

// The costs of forces on a particle: on each of a level at the end of each step of the level, and on a particle at the
// end of each step of its own.
struct LevelCosts {
    double among_level = 1, at_own_steps = 0;
};

// The choice that costs least in a step of the rung `first`; each time that a level is computed counts as
// overhead_of_level particles more. Rungs above `first` have no particles.
LevelOfRung choose_levels(const RungCounts& counts, unsigned first, const LevelCosts& costs = {});

// The cost of that choice.
double least_cost(const RungCounts& counts, unsigned first, const LevelCosts& costs = {});

inline constexpr double overhead_of_level = 100;

}  // namespace trellis
