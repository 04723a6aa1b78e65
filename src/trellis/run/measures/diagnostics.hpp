// Sums over all particles: energies and momenta. The same bits for any number of threads.
#pragma once

#include <string>
#include <string_view>

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

double kinetic_energy(const ParticleSet& particles);         // sum m v^2 / 2 of particles that are not fixed
double potential_energy(const ParticleSet& particles);       // sum m phi / 2, phi by pair forces
double external_energy(const ParticleSet& particles);        // sum m phi, phi of external fields; 0 without any
double total_internal_energy(const ParticleSet& particles);  // sum m u, u being the field internal_energy; 0 without it
double total_isothermal_energy(const ParticleSet& particles);  // the same of the field isothermal_energy
double total_virial(const ParticleSet& particles);             // sum w / 2, w being the field virial; 0 without it
Vec3<double> momentum(const ParticleSet& particles);           // sum m v
Vec3<double> angular_momentum(const ParticleSet& particles);   // sum m x cross v, about the origin
// sum m x / sum m of the coordinates as they are, also where space is periodic; zero if there is no mass.
Vec3<double> centre_of_mass(const ParticleSet& particles);

// Why an energy, of particles in the field of this name, is not finite, in a sentence about one of this rank's
// particles; empty if it is, or another rank has them.
std::string why_not_finite(const ParticleSet& particles, std::string_view field, double energy);

// The same over the particles of all ranks; collective, with the same bits on every rank.
double kinetic_energy(Comm& comm, const ParticleSet& particles);
double potential_energy(Comm& comm, const ParticleSet& particles);
double external_energy(Comm& comm, const ParticleSet& particles);
double total_internal_energy(Comm& comm, const ParticleSet& particles);
double total_isothermal_energy(Comm& comm, const ParticleSet& particles);
double total_virial(Comm& comm, const ParticleSet& particles);
// The kinetic energy of the centre of mass, P^2 / 2 M, of particles that are not fixed.
double drift_energy(Comm& comm, const ParticleSet& particles);
Vec3<double> momentum(Comm& comm, const ParticleSet& particles);
Vec3<double> angular_momentum(Comm& comm, const ParticleSet& particles);
Vec3<double> centre_of_mass(Comm& comm, const ParticleSet& particles);

}  // namespace trellis
