// The state of each system, and the exchange of states between systems. A state is a temperature, the number of a
// Hamiltonian, and a pressure.
//
// States move, and each system keeps its particles. The random numbers of a try depend on the seed, the number of the
// exchange and the pair alone, so they are the same in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace trellis {

// The energies that decide exchanges: the potential energies of each system in all Hamiltonians, system after system;
// and the volume of each system, or none if boxes do not change.
struct ReplicaEnergies {
    std::span<const double> potential;
    std::span<const double> volume = {};
};

class ReplicaStates {
  public:
    // For each state, as many as systems: k T, above 0, the number of its Hamiltonian, and its pressure; system k
    // begins in state k. Throws InputError for a temperature out of range.
    ReplicaStates(std::vector<double> temperatures, std::vector<std::size_t> hamiltonians,
                  std::vector<double> pressures, std::uint64_t seed);

    std::size_t size() const { return temperatures_.size(); }
    std::span<const double> temperatures() const { return temperatures_; }  // k T of the states
    std::span<const std::int32_t> state_of() const { return state_of_; }    // state of each system
    double temperature_of(std::size_t system) const { return temperatures_[state_in(system)]; }
    std::size_t hamiltonian_of(std::size_t system) const { return hamiltonians_[state_in(system)]; }
    double pressure_of(std::size_t system) const { return pressures_[state_in(system)]; }
    // Exchanges between each state and the next that were tried, and accepted: size() - 1 values.
    std::span<const std::uint64_t> tried() const { return tried_; }
    std::span<const std::uint64_t> accepted() const { return accepted_; }

    // number: the number of the exchange, different for each call. Pairs are the states 0 and 1, 2 and 3, ... if it is
    // even, else 1 and 2, 3 and 4, ...
    void exchange_neighbours(std::uint64_t number, const ReplicaEnergies& energies);
    // Pairs drawn at random from all, min(size()^3, 1 million) of them: then a system's next state hardly depends on
    // its last (Chodera & Shirts 2011).
    void exchange_all_pairs(std::uint64_t number, const ReplicaEnergies& energies);
    // Tries an exchange of each system in [first_come, end_come) with the one in the next state above or below, if
    // at_hand is 1 for that.
    void exchange_at_hand(std::uint64_t number, const ReplicaEnergies& energies, std::span<const std::uint8_t> at_hand,
                          std::size_t first_come, std::size_t end_come);

    // The systems whose states have changed since the last call, each at least once.
    std::vector<std::size_t> take_changed() { return std::exchange(changed_, {}); }

    // Sets other temperatures of the states, as many. Throws as the constructor does.
    void set_temperatures(std::vector<double> temperatures);
    // Sets the states of systems, a permutation. Throws InputError for anything else.
    void set_state_of(std::span<const std::int32_t> state_of);
    void set_counts(std::span<const std::uint64_t> tried, std::span<const std::uint64_t> accepted);

  private:
    std::size_t state_in(std::size_t system) const { return static_cast<std::size_t>(state_of_[system]); }
    template <class Uniform>
    void try_pair(std::size_t i, std::size_t j, const ReplicaEnergies& energies, Uniform&& uniform);
    double uniform(std::uint64_t number, std::uint32_t which, std::uint32_t of_kind = 0) const;

    std::vector<double> temperatures_;
    std::vector<std::size_t> hamiltonians_;
    std::vector<double> pressures_;
    std::uint64_t seed_;
    std::vector<std::int32_t> state_of_, system_in_;  // state of each system; system in each state
    std::vector<std::size_t> changed_;
    std::vector<std::uint64_t> tried_, accepted_;
};

}  // namespace trellis
