// Cuts of space, made from samples of the particles, that give every rank the same work.
#pragma once

#include <span>
#include <vector>

#include "trellis/ranks/domain/multisection.hpp"

namespace trellis {

// A particle that represents those near it; its weight is the work of all of them.
struct Sample {
    Vec3<double> position;  // in the region, finite
    double weight;          // > 0
};

// The root mean square distance of the weight from its centre along each axis, as a share of the longest of the three
// and at least 1e-6. All 1 if the longest is zero.
Vec3<double> spread(std::span<const Sample> samples);

// Sets each row of faces at quantiles of the weight, so that each domain has the share 1 / ranks of it. For any
// samples, every part is at least least_width times the mean width of its row, which spans the samples, or the region
// where it is periodic. Without samples all parts have the same width.
Multisection cut(std::vector<Sample> samples, const Shape& shape, const Region& region);

// As cut, but no face moves by more than `share` of the distance to its former neighbour, 0 < share < 1. Particles then
// change to adjacent parts only, and a single wrong weight does little harm. Parts keep their former width, or the
// width that their samples ask for, if that is smaller.
Multisection move_cuts(const Multisection& before, std::vector<Sample> samples, double share);

inline constexpr double least_width = 1e-4;

}  // namespace trellis
