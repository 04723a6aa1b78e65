// Leapfrog in its kick-drift-kick form: time-reversible and symplectic, second order in the time step.
#pragma once

#include <string_view>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// velocity += acceleration * time, but for fixed particles (particles/motion.hpp)
void kick(ParticleSet& particles, double time);

// value += rate * time, for two columns with the same number of components; vectors but for those of fixed particles.
void kick(ParticleSet& particles, std::string_view value, std::string_view rate, double time);

// Kicks velocities as kick(), and then moves positions: position += velocity * drift_time
void kick_and_drift(ParticleSet& particles, double kick_time, double drift_time);

}  // namespace trellis
