// Ensemble: many small systems, advanced without Python's lock.
#include "trellis/ensembles/ensemble.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "device_options.hpp"
#include "forces.hpp"
#include "trellis/base/error.hpp"
#include "trellis/devices/device_kind.hpp"
#include "trellis/ensembles/built_in.hpp"
#include "trellis/ensembles/built_in_kernel.hpp"
#include "trellis/ensembles/topology/topology_kernels.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::Ensemble;
using trellis::EnsembleState;

namespace {

using ParticleSets = std::vector<std::shared_ptr<trellis::ParticleSet>>;

// The value of a system: from a list of one for all or one for each, or, if the list is empty, the given one.
template <class T>
T of_system(const std::vector<T>& values, std::size_t system, const T& otherwise) {
    return values.empty() ? otherwise : values[values.size() == 1 ? 0 : system];
}

void check_count(const char* what, std::size_t given, std::size_t systems) {
    if (given > 1 && given != systems)
        throw trellis::InputError(std::string(what) + " has " + std::to_string(given) +
                                  " values: allowed is one, or one for each of the " + std::to_string(systems) +
                                  " systems");
}

// Each of the pairs once, the lower id first.
std::shared_ptr<const trellis::PairFactors> pair_factors(const std::vector<trellis::ExcludedPair>& pairs) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, double> each;
    for (const auto& [one, other, factor] : pairs) each[std::minmax(one, other)] = factor;
    std::vector<std::uint64_t> excluded, scaled;
    std::vector<double> factors;
    for (const auto& [pair, factor] : each) {
        excluded.insert(excluded.end(), {pair.first, pair.second});
        if (factor == 0) continue;
        scaled.insert(scaled.end(), {pair.first, pair.second});
        factors.push_back(factor);
    }
    return std::make_shared<trellis::PairFactors>(trellis::PairFactors{
        trellis::TupleList(std::move(excluded), 2), trellis::TupleList(std::move(scaled), 2), std::move(factors)});
}

// The forces of a system: one between pairs, or none, and its topology.
struct SystemForces {
    explicit SystemForces(const Forces& forces) {
        std::size_t between_pairs = 0;
        for (const auto& force : forces) {
            force->check();
            if (const trellis::TuplePotential* potential = force->over_tuples()) {
                topology.potentials.push_back(*potential);
                continue;
            }
            if (++between_pairs > 1)
                throw trellis::InputError(
                    "a system has several forces between pairs: allowed is one, such as a pair_potential that is their"
                    " sum, beside bonds, angles and dihedrals");
            pairs = force->among_systems();
        }
        if (!pairs.excluded.empty()) topology.pairs = pair_factors(pairs.excluded);
    }

    SystemsForce pairs = systems_force(trellis::built_in_systems(trellis::BuiltIn::no_pairs), trellis::NoPairs{});
    trellis::Topology topology;
};

// Adds the topologies to the interactions; equal ones become one.
std::shared_ptr<const void> add_topologies(std::vector<SystemForces>& all) {
    auto owner = std::make_shared<std::deque<trellis::Topology>>();
    for (auto& [pairs, topology] : all) {
        auto known = std::ranges::find(*owner, topology);
        if (known == owner->end()) known = owner->insert(known, topology);
        pairs = {trellis::kernels_with_topology(pairs.kernels),
                 trellis::interaction_with_topology(std::move(pairs.interaction), *known)};
    }
    return owner;
}

// The interactions of all systems, which must be of one kind.
SystemsForce among_all(const std::vector<Forces>& interactions, std::size_t systems) {
    check_count("interaction", interactions.size(), systems);
    std::vector<SystemForces> each(interactions.begin(), interactions.end());
    if (each.empty()) each.emplace_back(Forces());
    std::vector<std::shared_ptr<const void>> owners;
    for (const SystemForces& forces : each) {
        owners.push_back(forces.pairs.kernels.owner);
        if (forces.pairs.kernels.name != each.front().pairs.kernels.name)
            throw trellis::InputError("the interactions of an ensemble are of several kinds: allowed is one");
    }
    const auto has_topology = [](const SystemForces& forces) { return !forces.topology.empty(); };
    if (std::ranges::any_of(each, has_topology)) owners.push_back(add_topologies(each));
    SystemsForce all{each.front().pairs.kernels, {}};
    if (all.kernels.owner || all.kernels.topology) all.kernels.owner = std::make_shared<decltype(owners)>(owners);
    for (std::size_t k = 0; k < systems; ++k) {
        const std::vector<std::byte>& bytes = each[each.size() == 1 ? 0 : k].pairs.interaction;
        all.interaction.insert(all.interaction.end(), bytes.begin(), bytes.end());
    }
    return all;
}

// Throws InputError for devices without kernels of graphs, which a topology and an interaction in Python need.
void check_devices(const trellis::SystemKernels& kernels, const DeviceOptions& options) {
    const auto check = [&](const std::string& name) {
        const std::string_view original = trellis::name_of_original(name);
        if (name == "host" || original == "cpu") return;
        if (!kernels.owner || trellis::names_graph_device(original)) return;
        throw trellis::InputError(std::string("the interaction of an ensemble ") +
                                  (kernels.topology ? "has bonds or excluded pairs" : "is written in Python") +
                                  ", which device " + name +
                                  " does not know: allowed are host, cpu, and GPUs, also of servers");
    };
    for (const std::string& name : options.device) check(name);
    for (const std::string& name : options.spares) check(name);
}

// Seeds of the systems, where none is given; empty: that of the thermostat or barostat.
using Seeds = std::vector<std::uint64_t>;
std::uint64_t seed_of_system(const Seeds& seeds, std::size_t k) { return seeds.at(k) + (std::uint64_t{k} << 32); }

std::shared_ptr<Ensemble> make(const ParticleSets& particles, const std::vector<Forces>& interactions,
                               const std::vector<double>& timesteps,
                               const std::shared_ptr<const AnyThermostat>& thermostat,
                               const std::vector<std::pair<double, double>>& containers,
                               const std::optional<std::pair<double, double>>& quench,
                               const std::optional<BarostatSettings>& barostat, const std::vector<double>& pressures,
                               const Seeds& seeds, const Seeds& barostat_seeds, const DeviceOptions& options) {
    std::vector<const trellis::ParticleSet*> sets;
    std::vector<trellis::SystemSettings> settings(particles.size());
    check_count("timestep", timesteps.size(), particles.size());
    check_count("container", containers.size(), particles.size());
    check_count("pressure", pressures.size(), particles.size());
    if (thermostat) thermostat->check();
    for (std::size_t k = 0; k < particles.size(); ++k) {
        sets.push_back(particles[k].get());
        settings[k].timestep = of_system(timesteps, k, 0.0);
        if (thermostat) thermostat->give(settings[k], k);
        if (!seeds.empty()) settings[k].seed = seed_of_system(seeds, k);
        if (quench) {
            settings[k].bath = trellis::Bath::quench;
            settings[k].tolerance = quench->first;
            settings[k].longest_move = quench->second;
        }
        if (barostat) {
            settings[k].barostat = barostat->of(k, particles[k]->size());
            settings[k].barostat.pressure = of_system(pressures, k, barostat->pressure);
            if (!barostat_seeds.empty()) settings[k].barostat.seed = seed_of_system(barostat_seeds, k);
        }
        const trellis::Container open;
        const auto [radius, stiffness] = of_system(containers, k, {open.radius, open.stiffness});
        settings[k].container = {radius, stiffness};
    }
    const SystemsForce force = among_all(interactions, particles.size());
    check_devices(force.kernels, options);
    DevicesOfForces devices(options);
    const trellis::Devices shared = devices.of(options.device);
    devices.check_redundant();
    auto made = std::make_shared<Ensemble>(force.kernels, force.interaction, sets, settings, shared);
    made->set_spares(devices.spares());
    return made;
}

// Returns an array of shape (samples, systems, 3): potential, kinetic and bath energy.
Array<double> advance(Ensemble& ensemble, std::uint64_t steps, std::uint64_t every) {
    std::vector<trellis::SystemEnergies> energies;
    with_device_notes(ensemble, [&] { energies = ensemble.advance(steps, every); });
    const std::size_t samples = energies.size() / ensemble.size();
    return numbers_of<double>(std::move(energies), {samples, ensemble.size(), 3});
}

// Returns an array of shape (systems, samples).
Array<float> advance_potentials(Ensemble& ensemble, std::uint64_t steps, std::uint64_t every) {
    std::vector<float> potentials;
    with_device_notes(ensemble, [&] { potentials = ensemble.advance_potentials(steps, every); });
    const std::size_t samples = potentials.size() / ensemble.size();
    return array_of(std::move(potentials), {ensemble.size(), samples});
}

Array<double> volumes(const Ensemble& ensemble) {
    const auto all = ensemble.volumes();
    return array_of(std::vector<double>(all.begin(), all.end()), {all.size() / ensemble.size(), ensemble.size()});
}

Array<double> pressures(const Ensemble& ensemble) {
    std::vector<double> all;
    for (std::size_t k = 0; k < ensemble.size(); ++k) all.push_back(ensemble.pressure(k));
    return array_of(std::move(all), {ensemble.size()});
}

Array<double> first_pressures(const Ensemble& ensemble) {
    std::vector<double> all;
    for (std::size_t k = 0; k < ensemble.size(); ++k) all.push_back(ensemble.first_pressure(k));
    return array_of(std::move(all), {ensemble.size()});
}

nb::typed<nb::tuple, Array<std::uint64_t>, Array<std::uint64_t>> volume_moves(Ensemble& ensemble) {
    std::vector<std::uint64_t> tried, accepted;
    for (const trellis::System& system : ensemble.state().systems) {
        tried.push_back(system.barostat.tried);
        accepted.push_back(system.barostat.accepted);
    }
    return nb::make_tuple(array_of(std::move(tried), {ensemble.size()}),
                          array_of(std::move(accepted), {ensemble.size()}));
}

// An array with a value for each system.
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
std::span<const double> values(const Doubles& array) { return {array.data(), array.size()}; }

template <class T>
nb::bytes bytes_of(const std::vector<T>& values) {
    return nb::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <class T>
std::vector<T> values_of(const nb::bytes& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.c_str(), values.size() * sizeof(T));
    return values;
}

nb::typed<nb::dict, nb::str, nb::bytes> state(Ensemble& ensemble) {
    const EnsembleState now = ensemble.state();
    nb::dict parts;
    parts["systems"] = bytes_of(now.systems);
    parts["columns"] = bytes_of(now.columns);
    parts["changes"] = bytes_of(now.changes);
    return parts;
}

// A missing part is empty, which no ensemble's state has.
EnsembleState state_of(const nb::dict& parts) {
    const auto part = [&](const char* name) {
        return parts.contains(name) ? nb::cast<nb::bytes>(parts[name]) : nb::bytes("", 0);
    };
    return {values_of<trellis::System>(part("systems")), values_of<double>(part("columns")),
            values_of<trellis::SystemChange>(part("changes"))};
}

Array<std::uint64_t> step_counts(const Ensemble& ensemble) {
    const auto counts = ensemble.step_counts();
    return array_of(std::vector<std::uint64_t>(counts.begin(), counts.end()), {counts.size()});
}

Array<std::int64_t> first_hamiltonian(const Ensemble& ensemble) {
    std::vector<std::int64_t> all;
    for (std::size_t k = 0; k < ensemble.size(); ++k)
        all.push_back(static_cast<std::int64_t>(ensemble.first_hamiltonian(k)));
    const std::size_t count = all.size();
    return array_of(std::move(all), {count});
}

void copy_all(Ensemble& ensemble, const ParticleSets& particles) {
    const EnsembleState now = ensemble.state();
    for (std::size_t system = 0; system < particles.size(); ++system) ensemble.copy(now, system, *particles[system]);
}

void use_devices(Ensemble& ensemble, const DeviceOptions& options) {
    check_devices(ensemble.kernels(), options);
    DevicesOfForces devices(options);
    const trellis::Devices shared = devices.of(options.device);
    devices.check_redundant();
    ensemble.use(shared);
}

}  // namespace

void bind_ensemble(nb::module_& core) {
    nb::class_<Ensemble>(core, "Ensemble", "Many small systems; see trellis.Ensemble.")
        .def(nb::new_(&make), "particles"_a, "interactions"_a, "timesteps"_a, "thermostat"_a.none(),
             "containers"_a = std::vector<std::pair<double, double>>{}, "quench"_a = nb::none(),
             "barostat"_a = nb::none(), "pressures"_a = std::vector<double>{}, "seeds"_a = Seeds{},
             "barostat_seeds"_a = Seeds{}, "devices"_a = DeviceOptions())
        .def("advance", &advance, "steps"_a, "every"_a, "Steps of all systems; their energies, sample by sample.")
        .def("advance_potentials", &advance_potentials, "steps"_a, "every"_a,
             "Steps of all systems; their potential energies alone, system by system.")
        .def_prop_ro("step_counts", &step_counts, nb::rv_policy::move, "Steps that each system has taken.")
        .def_prop_ro("temperatures", &Ensemble::temperatures)
        .def_prop_ro("pressures", &pressures, nb::rv_policy::move,
                     "Pressures from the next steps on, of systems with a barostat.")
        .def_prop_ro("first_pressures", &first_pressures, nb::rv_policy::move, "The initial value of each system.")
        .def_prop_ro("boxes_change", &Ensemble::boxes_change, "True if there is a barostat.")
        .def_prop_ro("volumes", &volumes, nb::rv_policy::move, "Volumes at the samples of the last call.")
        .def_prop_ro("volume_moves", &volume_moves, "Moves that each system tried, and accepted.")
        .def_prop_ro("hamiltonians", &Ensemble::hamiltonians,
                     "Number of Hamiltonians, which differ by interaction or container.")
        .def_prop_ro("first_hamiltonian", &first_hamiltonian, nb::rv_policy::move, "The initial value of each system.")
        .def(
            "set_temperatures", [](Ensemble& ensemble, const Doubles& all) { ensemble.set_temperatures(values(all)); },
            "temperatures"_a, "Temperatures from the next steps on.")
        .def(
            "scale_velocities", [](Ensemble& ensemble, const Doubles& all) { ensemble.scale_velocities(values(all)); },
            "factors"_a, "Multiply the velocities of each system before the next steps.")
        .def(
            "copy",
            [](Ensemble& ensemble, std::size_t system, trellis::ParticleSet& particles) {
                ensemble.copy(ensemble.state(), system, particles);
            },
            "system"_a, "particles"_a, "Write position, velocity and acceleration of a system.")
        .def("copy_all", &copy_all, "particles"_a, "Write position, velocity and acceleration of all systems.")
        .def("use_devices", &use_devices, "devices"_a, "Continue on other devices.")
        .def("divide", &Ensemble::divide, "parts_a_device"_a,
             "Advance the systems of each device in `parts_a_device` parts.")
        .def("state", &state, "The state of all systems.")
        .def(
            "restore",
            [](Ensemble& ensemble, const nb::typed<nb::dict, nb::str, nb::bytes>& parts) {
                ensemble.restore(state_of(parts));
            },
            "state"_a, "Go back to a state.")
        .def(
            "restore_first",
            [](Ensemble& ensemble, const nb::typed<nb::dict, nb::str, nb::bytes>& parts,
               const std::vector<std::size_t>& hamiltonians) { ensemble.restore_first(state_of(parts), hamiltonians); },
            "state"_a, "hamiltonians"_a,
            "Restore the first systems from a state of an ensemble without the others, whose Hamiltonians are these.");
}
