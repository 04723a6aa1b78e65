// First smoothing lengths, where there are none.
#pragma once

#include "trellis/base/phase.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Gives each particle whose smoothing length is 0 about the length with this many neighbours, by how near the particles
// around it are to each other.
void guess_lengths(ParticleSet& particles, int dimensions, double neighbours, Phases& phases);

}  // namespace trellis
