// Langevin thermostat: friction, and random kicks that balance it.
#pragma once

#include "trellis/integrate/thermostats/axes.hpp"
#include "trellis/integrate/thermostats/thermostat.hpp"

namespace trellis {

// dv = -v / relaxation_time dt + noise, an Ornstein-Uhlenbeck process that is integrated exactly over any time; around
// a leapfrog step, half before and half after, this is the scheme OBABO of Bussi & Parrinello (2007). Velocities have
// the same bits for any number of ranks and threads.
class Langevin final : public Thermostat {
  public:
    // temperature: k T, an energy, 0 or more. relaxation_time: above 0, over which velocities are forgotten. seed: the
    // same seed gives the same noise. Throws InputError for a value out of range.
    Langevin(double temperature, double relaxation_time, std::uint64_t seed, Axes axes = {});

    void act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) override;
    double temperature() const override { return temperature_; }
    double bath_energy() const override { return bath_energy_; }  // energy that the particles have given to the bath
    std::vector<double> state() const override { return {bath_energy_}; }
    void restore(std::span<const double> state) override;

  private:
    double temperature_, relaxation_time_;
    std::uint64_t seed_;
    Axes axes_;
    double bath_energy_ = 0;
    std::vector<double> given_;  // energy that each particle gives to the bath in one call
};

}  // namespace trellis
