// ReplicaExchange: exchange of states between the systems of an ensemble, without Python's lock.
#include "trellis/ensembles/exchange/replica_exchange.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "forces.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::Ensemble;
using trellis::ExchangeScheme;
using trellis::ReplicaExchange;
using trellis::ReplicaSample;
using trellis::ReplicaSamples;
using trellis::ReplicaStates;

namespace {

template <class T>
Array<T> copy_of(std::span<const T> values) {
    return array_of(std::vector<T>(values.begin(), values.end()), {values.size()});
}

// System, state, potential energies in all Hamiltonians, and volume of each sample; no volumes if boxes do not change.
using Samples = nb::typed<nb::tuple, Array<std::int32_t>, Array<std::int32_t>, Array<double>, Array<double>>;
Samples run(ReplicaExchange& exchange, std::uint64_t exchanges) {
    ReplicaSamples samples;
    with_device_notes(exchange.ensemble(), [&] { samples = exchange.run(exchanges); });
    const std::size_t count = samples.each.size();
    const std::size_t volumes = samples.volume.size();
    const auto part = [&](std::int32_t ReplicaSample::* which) {
        std::vector<std::int32_t> values;
        values.reserve(count);
        for (const ReplicaSample& each : samples.each) values.push_back(each.*which);
        return array_of(std::move(values), {count});
    };
    return nb::make_tuple(part(&ReplicaSample::system), part(&ReplicaSample::state),
                          array_of(std::move(samples.potential), {count, exchange.ensemble().hamiltonians()}),
                          array_of(std::move(samples.volume), {volumes}));
}

Array<double> energies(const ReplicaExchange& exchange) {
    const auto all = exchange.energies();
    return numbers_of<double>(std::vector(all.begin(), all.end()), {all.size(), 3});
}

void restore(ReplicaExchange& exchange, const std::vector<std::int32_t>& state_of, std::uint64_t exchanges,
             const std::vector<std::uint64_t>& tried, const std::vector<std::uint64_t>& accepted) {
    ReplicaStates states = exchange.states();
    states.set_state_of(state_of);
    states.set_counts(tried, accepted);
    exchange.restore(states, exchanges);
}

}  // namespace

void bind_replica_exchange(nb::module_& core) {
    nb::enum_<ExchangeScheme>(core, "ExchangeScheme", "The pairs that exchange their states.")
        .value("neighbours", ExchangeScheme::neighbours)
        .value("all_pairs", ExchangeScheme::all_pairs)
        .value("asynchronous", ExchangeScheme::asynchronous);
    nb::class_<ReplicaExchange>(core, "ReplicaExchange", "Exchange of states; see trellis.ReplicaExchange.")
        .def(nb::new_([](Ensemble& ensemble, std::vector<double> temperatures, std::uint64_t steps,
                         ExchangeScheme scheme, std::uint64_t seed) {
                 return std::make_shared<ReplicaExchange>(ensemble, std::move(temperatures), seed,
                                                          trellis::ReplicaExchangeSettings{steps, scheme});
             }),
             "ensemble"_a, "temperatures"_a, "steps"_a, "scheme"_a, "seed"_a, nb::keep_alive<0, 1>())
        .def("run", &run, "exchanges"_a, "System, state, potential energies and volume of each sample.")
        .def("set_temperatures", &ReplicaExchange::set_temperatures, "temperatures"_a,
             "Set the temperatures of the states.")
        .def("restore", &restore, "state_of"_a, "exchanges"_a, "tried"_a, "accepted"_a, "Go back to these states.")
        .def_prop_ro("exchanges", &ReplicaExchange::exchanges)
        .def_prop_ro("energies", &energies, nb::rv_policy::move,
                     "Potential, kinetic and bath energy of each system at its last exchange, (systems, 3).")
        .def_prop_ro(
            "state_of", [](const ReplicaExchange& exchange) { return copy_of(exchange.states().state_of()); },
            nb::rv_policy::move)
        .def_prop_ro(
            "tried", [](const ReplicaExchange& exchange) { return copy_of(exchange.states().tried()); },
            nb::rv_policy::move)
        .def_prop_ro(
            "accepted", [](const ReplicaExchange& exchange) { return copy_of(exchange.states().accepted()); },
            nb::rv_policy::move);
}
