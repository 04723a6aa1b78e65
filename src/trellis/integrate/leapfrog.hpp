// Leapfrog in its kick-drift-kick form: time-reversible and symplectic, second order in the time step.
#pragma once

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// velocity += acceleration * time
void kick(ParticleSet& particles, double time);

// position += velocity * time
void drift(ParticleSet& particles, double time);

}  // namespace trellis
