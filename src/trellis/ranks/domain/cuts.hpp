// Cuts of space that give every rank the same work, from samples of the particles.
#pragma once

#include <span>
#include <vector>

#include "trellis/ranks/domain/multisection.hpp"

namespace trellis {

// A particle that represents others near it, and the work of all of these together.
struct Sample {
    Vec3<double> position;  // in the region, finite
    double weight;          // > 0
};

// The extent of the weight along each axis: root mean square distances from its centre, as shares of the longest, at
// least a millionth. All 1 if the longest is zero.
Vec3<double> spread(std::span<const Sample> samples);

// Sets each row of faces at quantiles of the weight, so that each domain's share of it is 1 / ranks. Every part has
// room, however the samples lie: it is at least least_width of the mean width of its row (of the samples' extent, or
// the region's where it is periodic). Fewer samples than parts, or none, leave parts of one width.
Multisection cut(std::vector<Sample> samples, const Shape& shape, const Region& region);

// The same as cut, but no face goes further than a share of the way from where it was before to where the next one was.
// Particles then change to parts next to theirs only, and one wrong weight does little harm. Parts keep the room that
// they had, or that their samples ask for. 0 < share < 1.
Multisection move_cuts(const Multisection& before, std::vector<Sample> samples, double share);

inline constexpr double least_width = 1e-4;

}  // namespace trellis
