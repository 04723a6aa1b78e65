#include "trellis/ensembles/exchange/replica_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/ensembles/exchange/arrivals.hpp"

namespace trellis {

namespace {

std::span<std::uint8_t> within(std::vector<std::uint8_t>& values, SystemRange systems) {
    return std::span(values).subspan(systems.begin, systems.count());
}

std::vector<std::size_t> first_hamiltonians(const Ensemble& ensemble) {
    std::vector<std::size_t> all;
    all.reserve(ensemble.size());
    for (std::size_t k = 0; k < ensemble.size(); ++k) all.push_back(ensemble.first_hamiltonian(k));
    return all;
}

std::vector<double> first_pressures(const Ensemble& ensemble) {
    std::vector<double> all;
    all.reserve(ensemble.size());
    for (std::size_t k = 0; k < ensemble.size(); ++k) all.push_back(ensemble.first_pressure(k));
    return all;
}

}  // namespace

ReplicaExchange::ReplicaExchange(Ensemble& ensemble, std::vector<double> temperatures, std::uint64_t seed,
                                 const ReplicaExchangeSettings& settings)
    : ensemble_(ensemble),
      states_(std::move(temperatures), first_hamiltonians(ensemble), first_pressures(ensemble), seed),
      settings_(settings) {
    if (states_.size() != ensemble.size())
        throw InputError("the states are " + std::to_string(states_.size()) + ": allowed is one for each of the " +
                         std::to_string(ensemble.size()) + " systems");
    ensemble.check_same();
    if (settings.steps < 1) throw InputError("the steps from exchange to exchange are 0: allowed is 1 or more");
    ensemble.divide(settings.scheme == ExchangeScheme::asynchronous ? 2 : 1);
    ensemble.evaluate_in_all();
    for (std::size_t system = 0; system < ensemble.size(); ++system) {
        if (ensemble.bath(system) == Bath::none)
            throw InputError("system " + std::to_string(system) + " has no thermostat: replica exchange needs one");
        temperatures_.push_back(states_.temperature_of(system));
        ensemble.change(system,
                        {temperatures_[system], 1, states_.hamiltonian_of(system), states_.pressure_of(system)});
    }
}

void ReplicaExchange::restore(const ReplicaStates& states, std::uint64_t exchanges) {
    if (states.size() != states_.size())
        throw InputError("the states are " + std::to_string(states.size()) + ": allowed is " +
                         std::to_string(states_.size()));
    states_ = states;
    exchanges_ = exchanges;
    temperatures_ = ensemble_.temperatures();
}

ReplicaSamples ReplicaExchange::run(std::uint64_t exchanges) {
    return settings_.scheme == ExchangeScheme::asynchronous ? run_as_they_come(exchanges) : run_together(exchanges);
}

ReplicaSamples ReplicaExchange::run_together(std::uint64_t exchanges) {
    ReplicaSamples samples;
    samples.each.reserve(exchanges * ensemble_.size());
    samples.potential.reserve(exchanges * ensemble_.potential_in_all().size());
    for (std::uint64_t k = 0; k < exchanges; ++k) {
        energies_ = ensemble_.advance(settings_.steps, settings_.steps);
        note({0, ensemble_.size()}, samples);
        if (settings_.scheme == ExchangeScheme::neighbours)
            states_.exchange_neighbours(exchanges_, known_energies());
        else
            states_.exchange_all_pairs(exchanges_, known_energies());
        ++exchanges_;
        enter_states(states_.take_changed());
    }
    return samples;
}

void ReplicaExchange::note(SystemRange systems, ReplicaSamples& samples) const {
    for (std::size_t k = systems.begin; k < systems.end; ++k)
        samples.each.push_back({static_cast<std::int32_t>(k), states_.state_of()[k]});
    const std::size_t hamiltonians = ensemble_.hamiltonians();
    const auto potential =
        ensemble_.potential_in_all().subspan(systems.begin * hamiltonians, systems.count() * hamiltonians);
    samples.potential.insert(samples.potential.end(), potential.begin(), potential.end());
    if (!ensemble_.boxes_change()) return;
    const auto volumes = ensemble_.volumes().subspan(systems.begin, systems.count());
    samples.volume.insert(samples.volume.end(), volumes.begin(), volumes.end());
}

void ReplicaExchange::set_temperatures(std::vector<double> temperatures) {
    states_.set_temperatures(std::move(temperatures));
    std::vector<std::size_t> all(ensemble_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    enter_states(all);
}

// Sets temperatures, Hamiltonians and pressures of systems to those of their states.
void ReplicaExchange::enter_states(std::span<const std::size_t> systems) {
    for (const std::size_t system : systems) {
        const double now = states_.temperature_of(system);
        const double factor = now == temperatures_[system] ? 1 : std::sqrt(now / temperatures_[system]);
        ensemble_.change(system, {now, factor, states_.hamiltonian_of(system), states_.pressure_of(system)});
        temperatures_[system] = now;
    }
}

// Each device has two parts, so that it advances one while the systems of the other are on the host. A quarter of all
// parts wait there as partners for those that arrive; then the part that arrived first continues. So no device is idle,
// and no system misses others for ever. The time that a system waits does not depend on energies, which would disturb
// the distribution.
ReplicaSamples ReplicaExchange::run_as_they_come(std::uint64_t exchanges) {
    const auto arrivals = std::make_shared<Arrivals>();  // shared, since calls may arrive after a failure here
    ReplicaSamples samples;
    energies_.resize(ensemble_.size());
    std::vector<std::uint8_t> at_hand(ensemble_.size(), 0);
    std::deque<std::size_t> waiting;
    std::uint64_t left = exchanges * ensemble_.size();  // samples that are not begun yet
    std::size_t under_way = 0;
    const auto await = [&](std::size_t part) {
        ensemble_.then(part, [arrivals, part] { arrivals->add(part); });
        ++under_way;
    };
    const auto go_on = [&](std::size_t part) {
        const SystemRange systems = ensemble_.systems_of(part);
        if (left == 0) return;
        left -= std::min<std::uint64_t>(left, systems.count());
        std::ranges::fill(within(at_hand, systems), 0);
        ensemble_.begin(part, settings_.steps);
        await(part);
    };
    for (std::size_t part = 0; part < ensemble_.parts(); ++part) go_on(part);
    while (under_way > 0) {
        const std::size_t part = arrivals->next(), parts = ensemble_.parts();
        const SystemRange come = ensemble_.systems_of(part);
        --under_way;
        if (!ensemble_.finish(part, energies_)) {  // other devices have taken over
            await(part);
            for (std::size_t piece = parts; piece < ensemble_.parts(); ++piece) await(piece);
            continue;
        }
        std::ranges::fill(within(at_hand, come), 1);
        note(come, samples);
        states_.exchange_at_hand(exchanges_++, known_energies(), at_hand, come.begin, come.end);
        enter_states(states_.take_changed());
        waiting.push_back(part);
        while (waiting.size() > std::max<std::size_t>(ensemble_.parts() / 4, 1) || (under_way == 0 && left > 0)) {
            go_on(waiting.front());
            waiting.pop_front();
        }
    }
    return samples;
}

}  // namespace trellis
