// The nearest neighbours of each particle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// The k-th neighbour of row i, from 0, is rows[i * count + k], at distances[i * count + k]: the nearest first, and the
// lower row first at equal distances.
struct NearestTable {
    std::size_t count;
    std::vector<std::uint32_t> rows;
    std::vector<double> distances;
};

// The `count` nearest neighbours of each particle, each other particle by its nearest image in a periodic box. Only the
// particles in the set count: on several ranks, those of this rank. Throws InputError unless 1 <= count < number of
// particles.
NearestTable nearest_neighbours(const ParticleSet& particles, std::size_t count);

}  // namespace trellis
