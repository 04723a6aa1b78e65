// A particle as error messages name it.
#pragma once

#include <cstddef>
#include <string>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// "the particle of id 3 at (1, 0, 0)"
std::string name_of(const ParticleSet& particles, std::size_t row);

// "; its nearest neighbour, of id 4, is 0.5 away", by the nearest images; empty without another particle.
std::string nearest_neighbour(const ParticleSet& particles, std::size_t row);

}  // namespace trellis
