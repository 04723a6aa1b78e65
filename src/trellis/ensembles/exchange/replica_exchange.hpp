// Replica exchange (Sugita & Okamoto 1999) among the systems of an ensemble: each takes steps in its state, then pairs
// exchange their states, and so on. State k has a temperature, and the Hamiltonian and pressure that system k had at
// the beginning.
//
// Velocities are scaled by sqrt(T_new / T_old), and the rates of a chain of thermostats stay, since its masses follow
// the temperature: so both keep their distributions. The account of the bath has the energy.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/ensembles/ensemble.hpp"
#include "trellis/ensembles/exchange/replica_states.hpp"

namespace trellis {

// Which pairs exchange: neighbours, even and odd by turns; any two, many times; or neighbours as soon as both have
// come, while other systems still move.
enum class ExchangeScheme : std::uint8_t { neighbours, all_pairs, asynchronous };

struct ReplicaExchangeSettings {
    std::uint64_t steps = 0;  // from exchange to exchange, at least 1
    ExchangeScheme scheme = ExchangeScheme::neighbours;
};

// A system that came to an exchange, and its state until then.
struct ReplicaSample {
    std::int32_t system, state;
};

// In the order in which they came.
struct ReplicaSamples {
    std::vector<ReplicaSample> each;
    std::vector<double> potential;  // of each, in all Hamiltonians
    std::vector<double> volume;     // of each, if boxes change
};

class ReplicaExchange {
  public:
    // ensemble: with a thermostat, one system for each state; outlives this. temperatures: of the states; seed: of the
    // random numbers of exchanges. Throws InputError for what is not allowed.
    ReplicaExchange(Ensemble& ensemble, std::vector<double> temperatures, std::uint64_t seed,
                    const ReplicaExchangeSettings& settings);

    // All systems come to so many exchanges: in the asynchronous scheme on average, so that none waits for the slowest;
    // at the end none is under way.
    ReplicaSamples run(std::uint64_t exchanges);

    Ensemble& ensemble() const { return ensemble_; }
    const ReplicaStates& states() const { return states_; }
    std::uint64_t exchanges() const { return exchanges_; }  // tried until now; in the asynchronous scheme, arrivals
    // Other temperatures of the states, as many: systems keep their states, and their velocities are scaled.
    void set_temperatures(std::vector<double> temperatures);
    // Goes back to states of systems, those of the ensemble at that time.
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
    std::vector<double> temperatures_;  // that systems have now
};

}  // namespace trellis
