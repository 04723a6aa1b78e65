// Sums over all particles: energies and momenta. The same bits for any number of threads.
#pragma once

#include "trellis/particles/particle_set.hpp"

namespace trellis {

double kinetic_energy(const ParticleSet& particles);          // sum m v^2 / 2
double potential_energy(const ParticleSet& particles);        // sum m phi / 2, phi by pair forces
Vec3<double> momentum(const ParticleSet& particles);          // sum m v
Vec3<double> angular_momentum(const ParticleSet& particles);  // sum m x cross v, about the origin
Vec3<double> centre_of_mass(const ParticleSet& particles);    // zero if there is no mass

}  // namespace trellis
