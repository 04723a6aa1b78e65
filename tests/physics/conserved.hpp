// Energy and momenta that a run must conserve.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"

namespace trellis {

using namespace fields;

struct Conserved {
    explicit Conserved(const ParticleSet& particles)
        : energy(kinetic_energy(particles) + potential_energy(particles)),
          momentum(trellis::momentum(particles)),
          angular_momentum(trellis::angular_momentum(particles)) {}

    double energy;
    Vec3<double> momentum, angular_momentum;
};

// energy_change is relative; momentum_change is in units of a mass, a length and G that are 1.
inline void expect_conserved(const Conserved& start, const ParticleSet& particles, double energy_change,
                             double momentum_change) {
    const Conserved now(particles);
    const auto change = [](const Vec3<double>& a, const Vec3<double>& b) { return std::sqrt(dot(a - b, a - b)); };
    EXPECT_LT(std::abs(now.energy / start.energy - 1), energy_change);
    EXPECT_LT(change(now.momentum, start.momentum), momentum_change);
    EXPECT_LT(change(now.angular_momentum, start.angular_momentum), momentum_change);
}

// Takes out the velocity and the position of the centre of mass. The total mass is 1.
inline void at_rest_in_the_origin(ParticleSet& particles) {
    const Vec3<double> centre = centre_of_mass(particles), drift = momentum(particles);
    for (auto& x : particles[position]) x -= centre;
    for (auto& v : particles[velocity]) v -= drift;
}

}  // namespace trellis
