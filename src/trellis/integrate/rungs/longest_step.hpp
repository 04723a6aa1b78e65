// The length of a longest step that may be shorter than the one given: the one with the least work.
//
// Rungs halve the longest step. If most particles can take 0.4 of it, they take 0.25; if it is 0.8 as long, its half.
#pragma once

#include <array>
#include <cstddef>

#include "trellis/integrate/rungs/level_choice.hpp"

namespace trellis {

// The lengths that are compared are 2^(-k / lengths_an_octave) of the longest, k = 0, 1, ...
inline constexpr unsigned lengths_an_octave = 4;

// The particles of each rung, for each of the lengths within an octave.
using CountsOfLengths = std::array<RungCounts, lengths_an_octave>;

inline CountsOfLengths added(CountsOfLengths a, const CountsOfLengths& b) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = added(a[k], b[k]);
    return a;
}

// Counts a particle that can take a step of this share of the longest; above 1 or infinite if it can take more.
void count(double share, CountsOfLengths& counts);

// The length whose forces take the least work for the time that it covers, as a share of the longest: at most 1, and at
// least what the particle with the shortest step can take, or 2^-(deepest_rung + 1).
double cheapest_length(const CountsOfLengths& counts);

}  // namespace trellis
