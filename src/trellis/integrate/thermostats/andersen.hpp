// Andersen's thermostat: collisions with a bath, each of which gives a particle another velocity.
#pragma once

#include "trellis/integrate/thermostats/axes.hpp"
#include "trellis/integrate/thermostats/thermostat.hpp"

namespace trellis {

// Each particle collides with the bath at random, once in a relaxation time on average, and then has a velocity of
// Maxwell's distribution (Andersen 1980). The same bits for any number of ranks and threads.
class Andersen final : public Thermostat {
  public:
    // temperature: k T, an energy, 0 or more. relaxation_time: above 0, mean time between the collisions of a particle.
    // seed: the same seed gives the same collisions. Throws InputError for a value out of range.
    Andersen(double temperature, double relaxation_time, std::uint64_t seed, Axes axes = {});

    void act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) override;
    double temperature() const override { return temperature_; }
    double bath_energy() const override { return bath_energy_; }
    std::vector<double> state() const override { return {bath_energy_}; }
    void restore(std::span<const double> state) override;

  private:
    double temperature_, relaxation_time_;
    std::uint64_t seed_;
    Axes axes_;
    double bath_energy_ = 0;     // energy that the particles have given to the bath
    std::vector<double> given_;  // energy that each particle gives to the bath in one call
};

}  // namespace trellis
