// First smoothing lengths, for particles without one.
#pragma once

#include "trellis/base/phase.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Gives each particle whose smoothing length is 0 an estimate of the length with `neighbours` neighbours, from the
// density of particles around it.
void guess_lengths(ParticleSet& particles, int dimensions, double neighbours, Phases& phases);

}  // namespace trellis
