// A thermostat keeps a temperature: it changes velocities, half of it before a leapfrog step and half after.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

class Thermostat {
  public:
    virtual ~Thermostat() = default;

    // Throws InputError for particles that it cannot keep at a temperature. Collective.
    virtual void check(const ParticleSet& /*particles*/, Comm& /*comm*/) const {}

    // Acts on the velocities over `time`, half a time step. calls: the number of calls since the run began; random
    // numbers depend on it and on the particles' ids. Collective.
    virtual void act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) = 0;

    // The temperature that it keeps, as an energy k T.
    virtual double temperature() const = 0;

    // The energy of the bath: its sum with that of the particles is conserved. The same on all ranks.
    virtual double bath_energy() const = 0;

    // The state for a checkpoint, the same on all ranks; a restored thermostat continues with the same bits.
    virtual std::vector<double> state() const = 0;
    virtual void restore(std::span<const double> state) = 0;
};

}  // namespace trellis
