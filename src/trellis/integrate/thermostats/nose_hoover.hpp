// A chain of Nose-Hoover thermostats: deterministic, time-reversible, and canonical for ergodic motion in a periodic
// box.
#pragma once

#include "trellis/integrate/thermostats/axes.hpp"
#include "trellis/integrate/thermostats/nose_hoover_chain.hpp"
#include "trellis/integrate/thermostats/thermostat.hpp"

namespace trellis {

// Each member of the chain thermalises the one before, the first the particles (Martyna, Klein & Tuckerman 1992),
// integrated by the explicit reversible scheme of Martyna et al. (1996) with three Yoshida-Suzuki steps. It acts on
// velocities relative to the centre of mass, of N_f = 3 N - 3 degrees of freedom, N - 1 along each axis: the motion of
// all together stays, and is no heat. In open space, where forces conserve the angular momentum, the distribution would
// not be canonical, and check refuses it. The same bits for any number of ranks and threads.
class NoseHoover final : public Thermostat {
  public:
    // temperature: k T, an energy, above 0. relaxation_time: above 0, about the period of the bath's oscillations over
    // 2 pi, which sets the masses Q_1 = N_f k T relaxation_time^2, Q_k = k T relaxation_time^2. length: members of the
    // chain, at least 1. Throws InputError for a value out of range.
    NoseHoover(double temperature, double relaxation_time, std::size_t length = 3, Axes axes = {});

    void check(const ParticleSet& particles, Comm& comm) const override;
    void act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) override;
    double temperature() const override { return temperature_; }
    double bath_energy() const override { return chain().energy(); }
    std::vector<double> state() const override;
    void restore(std::span<const double> state) override;

  private:
    NoseHooverChain<double> chain() { return {freedom_, temperature_, relaxation_time_, position_, rate_}; }
    NoseHooverChain<const double> chain() const { return {freedom_, temperature_, relaxation_time_, position_, rate_}; }

    double temperature_, relaxation_time_;
    Axes axes_;
    double freedom_ = 0;  // degrees of freedom of the particles; known from the first act on
    std::vector<double> position_, rate_;
};

}  // namespace trellis
