// ResidentSimulation: a stepper of particles that stay on a device.
#include "trellis/resident/resident_simulation.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "external.hpp"
#include "gravity.hpp"
#include "queue_times.hpp"
#include "simulation_options.hpp"
#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/resident/resident_tree_force.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::ResidentSimulation;

namespace {

// The forces that particles on a device can move under.
struct ResidentForces {
    const AnyForce* between_particles = nullptr;
    std::vector<const ExternalSettings*> external;
};

ResidentForces resident_forces(const Forces& forces) {
    ResidentForces chosen;
    for (const auto& force : forces)
        if (const auto* external = dynamic_cast<const ExternalSettings*>(force.get()))
            chosen.external.push_back(external);
    if (const std::size_t others = forces.size() - chosen.external.size(); others != 1)
        throw trellis::InputError("the forces are " + std::to_string(others) +
                                  ", external fields aside: particles that stay on a device move under one, gravity or"
                                  " one of short range");
    chosen.between_particles = forces.front().get();
    return chosen;
}

// The force of short range that these settings describe. Throws InputError if they describe another one.
std::shared_ptr<const trellis::ShortRangeForce> short_range(const AnyForce& settings, const Forces& forces) {
    const std::shared_ptr<trellis::Force> made = settings.make({});
    auto force = std::dynamic_pointer_cast<const trellis::ShortRangeForce>(made);
    if (force == nullptr)
        throw trellis::InputError(
            std::string("the first force is ") + nb::repr(nb::cast(forces.front())).c_str() +
            ": particles that stay on a device move under gravity or LennardJones, which comes first, and external"
            " fields");
    return force;
}

using MakeResident = std::function<std::shared_ptr<ResidentSimulation>(const std::shared_ptr<trellis::Device>&,
                                                                       const std::shared_ptr<trellis::SpareDevices>&)>;

// A function that makes the simulation on a device.
MakeResident maker_of(trellis::ParticleSet& particles, const Forces& forces, const AnyForce& force, double timestep) {
    const auto* gravity = dynamic_cast<const GravitySettings*>(&force);
    if (gravity == nullptr)
        return [&particles, force = short_range(force, forces), timestep](const auto& device, const auto& spares) {
            return std::make_shared<ResidentSimulation>(particles, force, timestep, device, spares);
        };
    return [&particles, gravity, timestep](const auto& device, const auto& spares) {
        return std::visit(
            [&](const auto& softening) {
                return std::make_shared<ResidentSimulation>(particles, softening, gravity->G, gravity->force, timestep,
                                                            device, spares);
            },
            gravity->softening);
    };
}

std::shared_ptr<ResidentSimulation> make(trellis::ParticleSet& particles, const Forces& forces,
                                         const SimulationOptions& options) {
    if (!options.timestep)
        throw trellis::InputError("timestep is not given, but particles that stay on a device need a fixed one");
    if (const int ranks = trellis::world()->size(); ranks > 1)
        throw trellis::InputError("resident is true on " + std::to_string(ranks) +
                                  " ranks: particles stay on the device of one rank alone");
    check_given(forces);
    const ResidentForces chosen = resident_forces(forces);
    const MakeResident on_device = maker_of(particles, forces, *chosen.between_particles, *options.timestep);
    const bool replaced = !options.devices.spares.empty() || options.devices.redundant > 1;
    DevicesOfForces devices(options.devices);
    const trellis::Devices opened = devices.of(*chosen.between_particles);
    if (opened.count() > 1)
        throw trellis::InputError("resident is true, but device is a list (" + opened.names() +
                                  "): particles stay on one device");
    if (opened.none())
        throw trellis::InputError("resident is true, but the device is host: particles stay on cpu, cuda:0, ... alone");
    auto made = on_device(opened.first(), replaced ? devices.spares() : nullptr);
    for (const ExternalSettings* external : chosen.external) made->add_external(external->field());
    made->set_time(options.restored ? options.initial_time : options.time);
    if (options.restored) made->resume(options.time, options.step_count, particles);
    return made;
}

// Returns a dictionary for each force: that of the first one, and empty ones for external fields.
nb::list of_each_force(const ResidentSimulation& simulation, const nb::dict& of_first) {
    nb::list all;
    all.append(of_first);
    for (std::size_t k = 0; k < simulation.force().external_fields().size(); ++k) all.append(nb::dict());
    return all;
}

OfEachForce<nb::int_> list_use(const ResidentSimulation& simulation) {
    nb::dict facts;
    facts["constructions"] = simulation.list_use().constructions;
    facts["early"] = simulation.list_use().early;
    facts["reuses"] = simulation.list_use().reuses;
    return of_each_force(simulation, facts);
}

OfEachForce<nb::int_> sizes(const ResidentSimulation& simulation) {
    nb::dict facts;
    if (const auto* gravity = dynamic_cast<const trellis::ResidentTreeForce*>(&simulation.force())) {
        facts["group_size"] = gravity->choice().group_size;
        facts["leaf_size"] = gravity->choice().leaf_size;
    }
    return of_each_force(simulation, facts);
}

OfEachForce<nb::float_> device_use(ResidentSimulation& simulation) {
    nb::dict facts;
    add_facts(facts, simulation.device_times());
    return of_each_force(simulation, facts);
}

}  // namespace

void bind_resident_simulation(nb::module_& core) {
    nb::class_<ResidentSimulation, trellis::Stepper>(core, "ResidentSimulation",
                                                     "Particles that stay on a device; see trellis.Simulation.")
        .def(nb::new_(&make), "particles"_a, "forces"_a, "options"_a)
        .def_prop_ro("list_use", &list_use, "Numbers of list constructions and reuses.")
        .def_prop_ro("sizes", &sizes, "Group and leaf size in use.")
        .def_prop_ro("device_use", &device_use);
}
