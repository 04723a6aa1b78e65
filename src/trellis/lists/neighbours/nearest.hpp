// The nearest neighbours of each particle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// The k-th neighbour of row i, from 0, is rows[i * count + k], at distances[i * count + k]: nearest first, of equally
// near ones the lower row.
struct NearestTable {
    std::size_t count;
    std::vector<std::uint32_t> rows;
    std::vector<double> distances;
};

// Each other particle counts once; in a periodic box, by its nearest image. Only the particles in the set count: on
// several ranks, those of this rank. Throws InputError unless count is at least 1, and there are so many other
// particles.
NearestTable nearest_neighbours(const ParticleSet& particles, std::size_t count);

}  // namespace trellis
