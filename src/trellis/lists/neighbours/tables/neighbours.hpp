// Tables of all neighbours within a radius, in double precision, for computations that are not sums over pairs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/neighbours/search/search.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// The neighbours of row i are rows[k], at distances[k], from k = begins[i] to begins[i + 1] - 1. Rows rise; a row
// occurs once for each of its images within the radius, the nearest first.
struct NeighbourTable {
    std::vector<std::uint64_t> begins;  // one more than particles
    std::vector<std::uint32_t> rows;
    std::vector<double> distances;
};

// The particles nearer to each particle than its radius, all images in a periodic box. A particle is not a neighbour of
// itself, but its images are. Only the particles in the set count: on several ranks, those of this rank. radii: one for
// each particle, or one for all. Throws InputError for a radius below 0 or not finite, or a wrong number of radii.
NeighbourTable find_neighbours(const ParticleSet& particles, std::span<const double> radii,
                               Search search = Search::gather);
NeighbourTable find_neighbours(const ParticleSet& particles, double radius);

}  // namespace trellis
