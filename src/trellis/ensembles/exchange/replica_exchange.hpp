// Replica exchange (Sugita & Okamoto 1999) among the systems of an ensemble: each takes steps in its state, then pairs
// exchange their states, and so on. State k has a temperature, and the Hamiltonian and pressure that system k had at
// the beginning.
//
// Velocities are scaled by sqrt(T_new / T_old), and the rates of a chain of thermostats stay, since its masses follow
// the temperature: both keep their distributions. The energy is added to the bath's account.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/ensembles/ensemble.hpp"
#include "trellis/ensembles/exchange/replica_states.hpp"

namespace trellis {

// The pairs that exchange: neighbours, even and odd pairs by turns; any two, many times; or neighbours as soon as both
// have arrived, while other systems are still advanced.
enum class ExchangeScheme : std::uint8_t { neighbours, all_pairs, asynchronous };

struct ReplicaExchangeSettings {
    std::uint64_t steps = 0;  // from exchange to exchange, at least 1
    ExchangeScheme scheme = ExchangeScheme::neighbours;
};

// A system at an exchange, and its state before it.
struct ReplicaSample {
    std::int32_t system, state;
};

// Samples in the order of arrival.
struct ReplicaSamples {
    std::vector<ReplicaSample> each;
    std::vector<double> potential;  // for each sample, in all Hamiltonians
    std::vector<double> volume;     // for each sample, if boxes change
};

class ReplicaExchange {
  public:
    // ensemble: with a thermostat, one system for each state, all of the same particles; must outlive this.
    // temperatures: k T of the states. seed: for the random numbers of exchanges. Throws InputError for values out of
    // range, and for systems that differ.
    ReplicaExchange(Ensemble& ensemble, std::vector<double> temperatures, std::uint64_t seed,
                    const ReplicaExchangeSettings& settings);

    // Advances all systems up to `exchanges` exchanges each; in the asynchronous scheme on average, so that none waits
    // for the slowest. At the end no steps are under way.
    ReplicaSamples run(std::uint64_t exchanges);

    Ensemble& ensemble() const { return ensemble_; }
    const ReplicaStates& states() const { return states_; }
    std::uint64_t exchanges() const { return exchanges_; }  // tried until now; in the asynchronous scheme, arrivals
    // The energies of each system at its last exchange, before it entered a state; empty before the first. The sum is
    // conserved from exchange to exchange.
    std::span<const SystemEnergies> energies() const { return energies_; }
    // Sets other temperatures of the states, as many: systems keep their states, and their velocities are scaled.
    void set_temperatures(std::vector<double> temperatures);
    // Restores the states of the systems at a checkpoint; the ensemble must have been restored to the same time.
    void restore(const ReplicaStates& states, std::uint64_t exchanges);

  private:
    ReplicaSamples run_together(std::uint64_t exchanges);
    ReplicaSamples run_as_they_come(std::uint64_t exchanges);
    ReplicaEnergies known_energies() const { return {ensemble_.potential_in_all(), ensemble_.volumes()}; }
    void note(SystemRange systems, ReplicaSamples& samples) const;
    void enter_states(std::span<const std::size_t> systems);

    Ensemble& ensemble_;
    ReplicaStates states_;
    ReplicaExchangeSettings settings_;
    std::uint64_t exchanges_ = 0;
    std::vector<double> temperatures_;  // present temperatures of the systems
    std::vector<SystemEnergies> energies_;
};

}  // namespace trellis
