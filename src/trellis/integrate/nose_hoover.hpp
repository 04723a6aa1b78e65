// A chain of Nose-Hoover thermostats: deterministic, time-reversible, and canonical for ergodic motion.
#pragma once

#include "trellis/integrate/nose_hoover_chain.hpp"
#include "trellis/integrate/thermostat.hpp"

namespace trellis {

// Each member of the chain thermalises the one before, the first the particles (Martyna, Klein & Tuckerman 1992),
// integrated by the explicit reversible scheme of Martyna et al. (1996) with three Yoshida-Suzuki steps. The same bits
// for any number of ranks and threads.
class NoseHoover final : public Thermostat {
  public:
    // temperature: k T, an energy, above 0. relaxation_time: above 0, about the period of the bath's oscillations over
    // 2 pi, which sets the masses Q_1 = N_f k T relaxation_time^2, Q_k = k T relaxation_time^2. length: members of the
    // chain, at least 1. conserved: components of momentum, 0 to 3, that the forces conserve and that must be zero;
    // they reduce the degrees of freedom to N_f = 3 N - conserved. Throws InputError for a value out of range.
    NoseHoover(double temperature, double relaxation_time, std::size_t length = 3, int conserved = 3);

    void act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) override;
    double bath_energy() const override { return chain().energy(); }
    std::vector<double> state() const override;
    void restore(std::span<const double> state) override;

  private:
    NoseHooverChain<double> chain() { return {freedom_, temperature_, relaxation_time_, position_, rate_}; }
    NoseHooverChain<const double> chain() const { return {freedom_, temperature_, relaxation_time_, position_, rate_}; }

    double temperature_, relaxation_time_;
    int conserved_;
    double freedom_ = 0;  // degrees of freedom of the particles; known from the first act on
    std::vector<double> position_, rate_;
};

}  // namespace trellis
