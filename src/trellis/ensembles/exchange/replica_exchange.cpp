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

}  // namespace

ReplicaExchange::ReplicaExchange(Ensemble& ensemble, ReplicaStates states, const ReplicaExchangeSettings& settings)
    : ensemble_(ensemble), states_(std::move(states)), settings_(settings), potential_(ensemble.size()) {
    if (states_.size() != ensemble.size())
        throw InputError("the states are " + std::to_string(states_.size()) + ": allowed is one for each of the " +
                         std::to_string(ensemble.size()) + " systems");
    if (settings.steps < 1) throw InputError("the steps from exchange to exchange are 0: allowed is 1 or more");
    ensemble.divide(settings.scheme == ExchangeScheme::asynchronous ? 2 : 1);
    for (std::size_t system = 0; system < ensemble.size(); ++system) {
        if (ensemble.bath(system) == Bath::none)
            throw InputError("system " + std::to_string(system) + " has no thermostat: replica exchange needs one");
        temperatures_.push_back(states_.temperature_of(system));
    }
    ensemble.set_temperatures(temperatures_);
}

void ReplicaExchange::restore(const ReplicaStates& states, std::uint64_t exchanges) {
    if (states.size() != states_.size())
        throw InputError("the states are " + std::to_string(states.size()) + ": allowed is " +
                         std::to_string(states_.size()));
    states_ = states;
    exchanges_ = exchanges;
    temperatures_ = ensemble_.temperatures();
}

std::vector<ReplicaSample> ReplicaExchange::run(std::uint64_t exchanges) {
    return settings_.scheme == ExchangeScheme::asynchronous ? run_as_they_come(exchanges) : run_together(exchanges);
}

std::vector<ReplicaSample> ReplicaExchange::run_together(std::uint64_t exchanges) {
    std::vector<ReplicaSample> samples;
    samples.reserve(exchanges * ensemble_.size());
    for (std::uint64_t k = 0; k < exchanges; ++k) {
        const auto energies = ensemble_.advance(settings_.steps, settings_.steps);
        std::ranges::transform(energies, potential_.begin(), &SystemEnergies::potential);
        note({0, ensemble_.size()}, samples);
        if (settings_.scheme == ExchangeScheme::neighbours)
            states_.exchange_neighbours(exchanges_, potential_);
        else
            states_.exchange_all_pairs(exchanges_, potential_);
        ++exchanges_;
        change_temperatures(states_.take_changed());
    }
    return samples;
}

void ReplicaExchange::note(SystemRange systems, std::vector<ReplicaSample>& samples) const {
    for (std::size_t k = systems.begin; k < systems.end; ++k)
        samples.push_back({static_cast<std::int32_t>(k), states_.state_of()[k], potential_[k]});
}

void ReplicaExchange::set_temperatures(std::vector<double> temperatures) {
    states_.set_temperatures(std::move(temperatures));
    std::vector<std::size_t> all(ensemble_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    change_temperatures(all);
}

// To those of their states.
void ReplicaExchange::change_temperatures(std::span<const std::size_t> systems) {
    for (const std::size_t system : systems) {
        const double now = states_.temperature_of(system);
        if (now == temperatures_[system]) continue;
        ensemble_.change(system, {now, std::sqrt(now / temperatures_[system])});
        temperatures_[system] = now;
    }
}

// Each device has two parts, so it works on one while the systems of the other are here. A quarter of all parts stay at
// hand, where those that come find partners; then the one that came first goes on. So no device waits, and no system
// misses others for ever. How long a system stays does not depend on energies, which would disturb the distribution.
std::vector<ReplicaSample> ReplicaExchange::run_as_they_come(std::uint64_t exchanges) {
    const auto arrivals = std::make_shared<Arrivals>();  // also of calls that come after a failure here
    std::vector<ReplicaSample> samples;
    std::vector<SystemEnergies> energies(ensemble_.size());
    std::vector<std::uint8_t> at_hand(ensemble_.size(), 0);
    std::deque<std::size_t> waiting;
    std::uint64_t left = exchanges * ensemble_.size();  // samples that are not begun yet
    std::size_t under_way = 0;
    const auto go_on = [&](std::size_t part) {
        const SystemRange systems = ensemble_.systems_of(part);
        if (left == 0) return;
        left -= std::min<std::uint64_t>(left, systems.count());
        std::ranges::fill(within(at_hand, systems), 0);
        ensemble_.begin(part, settings_.steps);
        ensemble_.then(part, [arrivals, part] { arrivals->add(part); });
        ++under_way;
    };
    for (std::size_t part = 0; part < ensemble_.parts(); ++part) go_on(part);
    while (under_way > 0) {
        const std::size_t part = arrivals->next(), parts = ensemble_.parts();
        const SystemRange come = ensemble_.systems_of(part);
        ensemble_.finish(part, energies);
        --under_way;
        for (std::size_t k = come.begin; k < come.end; ++k) potential_[k] = energies[k].potential;
        std::ranges::fill(within(at_hand, come), 1);
        note(come, samples);
        states_.exchange_at_hand(exchanges_++, potential_, at_hand, come.begin, come.end);
        change_temperatures(states_.take_changed());
        waiting.push_back(part);
        for (std::size_t piece = parts; piece < ensemble_.parts(); ++piece) waiting.push_back(piece);
        while (waiting.size() > std::max<std::size_t>(ensemble_.parts() / 4, 1) || (under_way == 0 && left > 0)) {
            go_on(waiting.front());
            waiting.pop_front();
        }
    }
    return samples;
}

}  // namespace trellis
