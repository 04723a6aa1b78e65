// Simulation: a stepper on the threads and devices of all ranks.
#include "trellis/run/simulation.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <utility>

#include "bindings.hpp"
#include "forces.hpp"
#include "gravity.hpp"
#include "held_function.hpp"
#include "queue_times.hpp"
#include "run_time_pairs.hpp"
#include "simulation_options.hpp"
#include "trellis/forces/decorators/without_limit.hpp"
#include "trellis/forces/gravity/encounters/encounter_limit.hpp"
#include "trellis/forces/gravity/tidal_limit.hpp"
#include "trellis/forces/tree/force_by_tree.hpp"
#include "trellis/forces/tree_mesh/excluded_charges.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::Simulation;

namespace {

// Adds a force with what acts beside it, gravity with what limits steps by their criterion. Tides are computed where
// gravity is.
void add_whole(Simulation& made, const AnyForce& settings, std::unique_ptr<trellis::Force> force,
               const SimulationOptions& options) {
    const IndividualStepsSettings steps = options.individual_steps.value_or(IndividualStepsSettings{});
    const auto* gravity = dynamic_cast<const GravitySettings*>(&settings);
    if (gravity != nullptr && steps.criterion == StepCriterion::tidal) {
        const trellis::Devices devices = force->devices();
        made.add_force(std::make_shared<trellis::WithoutLimit>(std::move(force)));
        made.add_force(trellis::tidal_limit(gravity->softenings(), gravity->G, devices));
        return;
    }
    made.add_force(std::move(force));
    if (auto beside = settings.make_beside()) made.add_force(std::move(beside));
    if (gravity == nullptr || steps.criterion != StepCriterion::encounters) return;
    const auto space = options.cosmology ? trellis::Space::expanding : trellis::Space::at_rest;
    made.add_force(std::make_shared<trellis::EncounterLimit>(gravity->softenings(), gravity->G, steps.eta, space));
}

// True for a force that add_whole adds to that of Python.
bool is_beside(const trellis::Force& force) {
    return dynamic_cast<const trellis::ExcludedCharges*>(&force) != nullptr ||
           dynamic_cast<const trellis::EncounterLimit*>(&force) != nullptr ||
           dynamic_cast<const trellis::TidalLimit*>(&force) != nullptr;
}

void make(Simulation* self, std::shared_ptr<trellis::ParticleSet> particles, const Forces& forces,
          const SimulationOptions& options) {
    check_given(forces);
    DevicesOfForces devices(options.devices, options.replaced_devices);
    std::optional<double> timestep = options.timestep, log_step = options.log_step;
    if (options.individual_steps) (options.cosmology ? log_step : timestep) = options.individual_steps->longest;
    Simulation made(std::move(particles), timestep);
    made.set_time(options.restored ? options.initial_time : options.time);
    if (options.cosmology) made.set_expansion(trellis::Expansion(*options.cosmology, log_step), options.expansion_work);
    if (options.individual_steps)
        made.set_individual_steps(options.individual_steps->eta, options.individual_steps->order);
    made.keep_order(options.keep_order);
    made.set_spares(devices.spares(), options.replaced_devices);
    for (const auto& force : forces) check_spares(*force, options.devices);
    for (const auto& force : forces)  // its results are not known yet
        add_whole(made, *force, force->make_with(devices), options);
    devices.check_redundant();
    if (options.thermostat) made.set_thermostat(options.thermostat->make());
    if (options.barostat) {
        const std::size_t count = trellis::all_reduce(made.comm(), made.particles().size(), std::plus{});
        made.set_barostat(options.barostat->of(0, count));
    }
    if (options.restored)
        made.resume(options.time, options.step_count, {options.domains.first, options.domains.second},
                    options.thermostat_state, options.step_allowed, options.barostat_state);
    new (self) Simulation(std::move(made));
}

// Returns a dictionary for each force, filled by describe.
template <class Describe>
nb::list of_each_force(const Simulation& simulation, const Describe& describe) {
    nb::list all;
    for (const auto& force : simulation.forces()) {
        if (is_beside(*force)) continue;
        nb::dict facts;
        describe(*force, facts);
        all.append(facts);
    }
    return all;
}

// The same for tree forces; the dictionaries of other forces are empty.
template <class Describe>
nb::list of_each_tree_force(const Simulation& simulation, const Describe& describe) {
    return of_each_force(simulation, [&](const trellis::Force& force, nb::dict& facts) {
        if (const auto* from_tree = trellis::tree_force_in(force)) describe(*from_tree, facts);
    });
}

OfEachForce<nb::int_> list_use(const Simulation& simulation) {
    return of_each_force(simulation, [](const trellis::Force& force, nb::dict& facts) {
        const trellis::ListUse& use = force.list_use();
        facts["constructions"] = use.constructions;
        facts["early"] = use.early;
        facts["reuses"] = use.reuses;
        facts["prunings"] = use.prunings;
        facts["asked"] = use.asked;
    });
}

OfEachForce<nb::int_> sizes(const Simulation& simulation) {
    return of_each_tree_force(simulation, [](const trellis::TreeForce& force, nb::dict& facts) {
        facts["group_size"] = force.sizes().group;
        facts["leaf_size"] = force.sizes().leaf;
    });
}

// The largest number of pairs of a device over the mean of all devices.
double imbalance(const std::vector<std::uint64_t>& pairs) {
    const auto sum = std::accumulate(pairs.begin(), pairs.end(), 0.0);
    return sum == 0 ? 1 : static_cast<double>(std::ranges::max(pairs)) * static_cast<double>(pairs.size()) / sum;
}

OfEachForce<nb::float_> device_use(const Simulation& simulation) {
    return of_each_force(simulation, [](const trellis::Force& force, nb::dict& facts) {
        if (force.device_use() == nullptr) return;
        const trellis::DeviceUse& use = *force.device_use();
        facts["batches"] = use.batches;
        facts["memory"] = use.bytes;
        facts["in_blocks"] = use.in_blocks;
        facts["lists_kept"] = use.lists_kept;
        facts["imbalance"] = imbalance(use.pairs);
        add_facts(facts, use.times);
    });
}

nb::object rung_use(const Simulation& simulation) {
    const trellis::RungUse* use = simulation.rung_use();
    if (use == nullptr) return nb::none();
    nb::dict facts;
    const auto end = std::ranges::find_if(use->particles.rbegin(), use->particles.rend(), [](auto n) { return n > 0; });
    facts["particles"] = std::vector<std::uint64_t>(use->particles.begin(), end.base());
    facts["updates"] = use->updates;
    facts["level_updates"] = use->level_updates;
    return facts;
}

// Asks a function of Python whether to abandon a step, ten times a second at most. Signals that have come are handled
// first: the function may answer by what their handlers note, and an exception of a handler passes through.
class Abandoned {
  public:
    explicit Abandoned(nb::callable function) : function_(held(std::move(function))) {}

    bool operator()() {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return false;
        next_ = now + std::chrono::milliseconds(100);
        const LockTaken locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        return nb::cast<bool>((*function_)());
    }

  private:
    HeldFunction function_;
    std::chrono::steady_clock::time_point next_;
};

}  // namespace

void bind_simulation(nb::module_& core) {
    nb::class_<Simulation, trellis::Stepper>(core, "Simulation",
                                             "Particles that move under forces; see trellis.Simulation.")
        .def("__init__", &make, "particles"_a, "forces"_a, "options"_a)
        .def(
            "longest_step",
            [](Simulation& simulation) {
                double longest = 0;
                with_device_notes(simulation, [&] { longest = simulation.longest_step(); });
                return longest;
            },
            "Longest step that the forces allow the particles as they are.")
        .def(
            "abandon_steps_when",
            [](Simulation& simulation, nb::callable asked) {
                simulation.abandon_steps_when(Abandoned(std::move(asked)));
            },
            "asked"_a, nb::sig("def abandon_steps_when(self, asked: collections.abc.Callable[[], bool]) -> None"),
            "Within individual steps: when the function returns true on a rank, step raises StepAbandoned on all.")
        .def_prop_ro("replaced_devices", &Simulation::replaced_devices,
                     "Names of the devices that have failed, and were replaced.")
        .def("claim_particles", &Simulation::claim_particles,
             "Take the particles back from a simulation that was made of them later.")
        .def_prop_ro("rung_use", &rung_use, nb::sig("def rung_use(self) -> dict[str, list[int] | int] | None"),
                     "Particles of each rung, and updates, in the last step.")
        .def_prop_ro("list_use", &list_use, "Numbers of list constructions and reuses, for each force.")
        .def_prop_ro("sizes", &sizes, "Group and leaf size in use, for each force.")
        .def_prop_ro("device_use", &device_use, "Use of the device by the last forces, for each force.");
}
