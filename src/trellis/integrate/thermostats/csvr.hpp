// Canonical sampling through velocity rescaling: all velocities by one random factor.
#pragma once

#include "trellis/integrate/thermostats/axes.hpp"
#include "trellis/integrate/thermostats/thermostat.hpp"

namespace trellis {

// The kinetic energy relative to the centre of mass, of N - 1 degrees of freedom along each axis, follows the
// stochastic equation of Bussi, Donadio & Parrinello (2007), solved exactly over any time; the motion of all together
// stays. In open space directions of the angular momentum stay as well, but not its size: distributions are canonical
// unless it is zero, which check refuses. The same bits for any number of ranks and threads.
class Csvr final : public Thermostat {
  public:
    // temperature: k T, an energy, 0 or more. relaxation_time: above 0, of the kinetic energy. seed: the same seed
    // gives the same factors. Throws InputError for a value out of range.
    Csvr(double temperature, double relaxation_time, std::uint64_t seed, Axes axes = {});

    void check(const ParticleSet& particles, Comm& comm) const override;
    void act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) override;
    double temperature() const override { return temperature_; }
    double bath_energy() const override { return bath_energy_; }
    std::vector<double> state() const override { return {bath_energy_}; }
    void restore(std::span<const double> state) override;

  private:
    double temperature_, relaxation_time_;
    std::uint64_t seed_;
    Axes axes_;
    double bath_energy_ = 0;  // energy that the particles have given to the bath
};

// Throws InputError for velocities that one factor cannot bring to a temperature: all the same, or, in open space,
// without an angular momentum. Collective.
void check_rescaling(const ParticleSet& particles, Comm& comm, Axes axes = {});

}  // namespace trellis
