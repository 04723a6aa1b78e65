#include "trellis/ensembles/exchange/replica_states.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/philox.hpp"
#include "trellis/ensembles/exchange/exchange_rule.hpp"

namespace trellis {

namespace {

constexpr std::uint64_t most_tries = 1'000'000;

}  // namespace

ReplicaStates::ReplicaStates(std::vector<double> temperatures, std::vector<std::size_t> hamiltonians,
                             std::vector<double> pressures, std::uint64_t seed)
    : temperatures_(temperatures.size()),
      hamiltonians_(std::move(hamiltonians)),
      pressures_(std::move(pressures)),
      seed_(seed),
      state_of_(size()),
      system_in_(size()),
      tried_(std::max<std::size_t>(size(), 1) - 1),
      accepted_(tried_.size()) {
    set_temperatures(std::move(temperatures));
    std::iota(state_of_.begin(), state_of_.end(), 0);
    system_in_ = state_of_;
}

void ReplicaStates::set_temperatures(std::vector<double> temperatures) {
    if (temperatures.size() != size())
        throw InputError("the temperatures are " + std::to_string(temperatures.size()) + ": allowed is " +
                         std::to_string(size()));
    for (std::size_t k = 0; k < size(); ++k)
        if (!(temperatures[k] > 0 && std::isfinite(temperatures[k])))
            throw InputError("the temperature of state " + std::to_string(k) + " is " + to_text(temperatures[k]) +
                             ": allowed is above 0");
    temperatures_ = std::move(temperatures);
}

// Between 0 and 1, both excluded.
double ReplicaStates::uniform(std::uint64_t number, std::uint32_t which, std::uint32_t of_kind) const {
    const auto low = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); };
    const auto high = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 32); };
    const auto words =
        philox({low(number), high(number), which, domain_of_exchanges | of_kind}, {low(seed_), high(seed_)});
    return 0x1p-64 * (static_cast<double>((std::uint64_t{words[0]} << 32) | (words[1] | 1u)));
}

template <class Uniform>
void ReplicaStates::try_pair(std::size_t i, std::size_t j, const ReplicaEnergies& energies, Uniform&& uniform) {
    std::int32_t &one = system_in_[i], &other = system_in_[j];
    const std::size_t hamiltonians = energies.potential.size() / size();
    const auto energy = [&](std::size_t state, std::int32_t of) {
        const auto system = static_cast<std::size_t>(of);
        const double potential = energies.potential[system * hamiltonians + hamiltonians_[state]];
        return energies.volume.empty() ? potential : potential + pressures_[state] * energies.volume[system];
    };
    const bool accepted = exchange_accepted({temperatures_[i], energy(i, one), energy(i, other)},
                                            {temperatures_[j], energy(j, other), energy(j, one)}, uniform);
    if (j == i + 1) {
        ++tried_[i];
        accepted_[i] += accepted ? 1 : 0;
    }
    if (!accepted) return;
    std::swap(one, other);
    state_of_[static_cast<std::size_t>(one)] = static_cast<std::int32_t>(i);
    state_of_[static_cast<std::size_t>(other)] = static_cast<std::int32_t>(j);
    changed_.push_back(static_cast<std::size_t>(one));
    changed_.push_back(static_cast<std::size_t>(other));
}

void ReplicaStates::exchange_neighbours(std::uint64_t number, const ReplicaEnergies& energies) {
    for (std::size_t k = number % 2; k + 1 < size(); k += 2)
        try_pair(k, k + 1, energies, [&] { return uniform(number, static_cast<std::uint32_t>(k)); });
}

void ReplicaStates::exchange_all_pairs(std::uint64_t number, const ReplicaEnergies& energies) {
    const std::uint64_t states = size();
    if (states < 2) return;
    const std::uint64_t tries = states > 100 ? most_tries : states * states * states;
    const auto below = [](double uniform, std::uint64_t end) {
        return std::min(static_cast<std::uint64_t>(uniform * static_cast<double>(end)), end - 1);
    };
    for (std::uint32_t k = 0; k < tries; ++k) {
        const std::uint64_t i = below(uniform(number, k, 1), states), other = below(uniform(number, k, 2), states - 1);
        const std::uint64_t j = other + (other >= i ? 1 : 0);
        try_pair(std::min(i, j), std::max(i, j), energies, [&] { return uniform(number, k, 3); });
    }
}

void ReplicaStates::exchange_at_hand(std::uint64_t number, const ReplicaEnergies& energies,
                                     std::span<const std::uint8_t> at_hand, std::size_t first_come,
                                     std::size_t end_come) {
    for (std::size_t system = first_come; system < end_come; ++system) {
        const auto which = static_cast<std::uint32_t>(system);
        const auto state = static_cast<std::size_t>(state_of_[system]);
        const bool up = uniform(number, which, 1) < 0.5;
        if (up ? state + 1 == size() : state == 0) continue;
        const std::size_t lower = up ? state : state - 1;
        const auto other = static_cast<std::size_t>(system_in_[up ? state + 1 : state - 1]);
        if (at_hand[other] != 0) try_pair(lower, lower + 1, energies, [&] { return uniform(number, which); });
    }
}

void ReplicaStates::set_state_of(std::span<const std::int32_t> state_of) {
    std::vector<std::int32_t> system_in(size(), -1);
    if (state_of.size() != size())
        throw InputError("the states of " + std::to_string(state_of.size()) + " systems are given: allowed is " +
                         std::to_string(size()));
    for (std::size_t system = 0; system < size(); ++system) {
        const std::int32_t state = state_of[system];
        if (state < 0 || static_cast<std::size_t>(state) >= size() || system_in[static_cast<std::size_t>(state)] != -1)
            throw InputError("system " + std::to_string(system) + " has the state " + std::to_string(state) +
                             ": allowed is a different one for each system, 0 to " + std::to_string(size() - 1));
        system_in[static_cast<std::size_t>(state)] = static_cast<std::int32_t>(system);
    }
    state_of_.assign(state_of.begin(), state_of.end());
    system_in_ = std::move(system_in);
}

void ReplicaStates::set_counts(std::span<const std::uint64_t> tried, std::span<const std::uint64_t> accepted) {
    if (tried.size() != tried_.size() || accepted.size() != accepted_.size())
        throw InputError("the counts of exchanges are not as many as pairs of states, " +
                         std::to_string(tried_.size()));
    tried_.assign(tried.begin(), tried.end());
    accepted_.assign(accepted.begin(), accepted.end());
}

}  // namespace trellis
