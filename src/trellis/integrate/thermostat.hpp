// What holds a temperature: something that changes velocities, half of it before a leapfrog step and half of it after.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm.hpp"

namespace trellis {

class Thermostat {
  public:
    virtual ~Thermostat() = default;

    // Acts on the velocities for this time, half a time step. calls: how often it was called before, since the run began: what random numbers hang on,
    // with the particles' ids. Collective.
    virtual void act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) = 0;

    // What the bath has of energy: with the particles' own, it is conserved. The same on all ranks.
    virtual double bath_energy() const = 0;

    // For a checkpoint, the same on all ranks; restored, it goes on with the same bits.
    virtual std::vector<double> state() const = 0;
    virtual void restore(std::span<const double> state) = 0;
};

}  // namespace trellis
