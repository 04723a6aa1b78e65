// Replica exchange (Sugita & Okamoto 1999) among the systems of an ensemble: each takes steps at the temperature of its
// state, then pairs exchange their states, and so on.
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

// What a system had when it came to an exchange.
struct ReplicaSample {
    std::int32_t system, state;
    double potential;
};

class ReplicaExchange {
  public:
    // ensemble: with a thermostat, one system for each state; outlives this. Throws InputError for what is not allowed.
    ReplicaExchange(Ensemble& ensemble, ReplicaStates states, const ReplicaExchangeSettings& settings);

    // All systems come to so many exchanges: in the asynchronous scheme on average, so that none waits for the slowest;
    // at the end none is under way. Returns what they had, in the order in which they came.
    std::vector<ReplicaSample> run(std::uint64_t exchanges);

    Ensemble& ensemble() const { return ensemble_; }
    const ReplicaStates& states() const { return states_; }
    std::uint64_t exchanges() const { return exchanges_; }  // tried until now; in the asynchronous scheme, arrivals
    // Other temperatures of the states, as many: systems keep their states, and their velocities are scaled.
    void set_temperatures(std::vector<double> temperatures);
    // Goes back to states of systems, those of the ensemble at that time.
    void restore(const ReplicaStates& states, std::uint64_t exchanges);

  private:
    std::vector<ReplicaSample> run_together(std::uint64_t exchanges);
    std::vector<ReplicaSample> run_as_they_come(std::uint64_t exchanges);
    void note(SystemRange systems, std::vector<ReplicaSample>& samples) const;
    void change_temperatures(std::span<const std::size_t> systems);

    Ensemble& ensemble_;
    ReplicaStates states_;
    ReplicaExchangeSettings settings_;
    std::uint64_t exchanges_ = 0;
    std::vector<double> temperatures_;  // that systems have now
    std::vector<double> potential_;     // of each system, when it came last
};

}  // namespace trellis
