// Stepper: what Python calls of simulations, wherever their particles are; steps run without Python's lock.
#include "trellis/integrate/stepper.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <utility>

#include "bindings.hpp"
#include "forces.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::ParticleSet;
using trellis::Stepper;

namespace {

nb::typed<nb::dict, nb::str, nb::float_> phases(Stepper& stepper) {
    const trellis::Phases& spent = stepper.phases();
    nb::dict seconds;
    for (std::size_t k = 0; k < trellis::phase_names.size(); ++k)
        seconds[trellis::phase_names[k].data()] = spent.seconds(static_cast<trellis::Phase>(k));
    return seconds;
}

std::pair<std::vector<double>, std::vector<double>> domain_state(const Stepper& stepper) {
    const trellis::DomainState state = stepper.domain_state();
    return {state.own, state.cuts};
}

}  // namespace

void bind_stepper(nb::module_& core) {
    nb::class_<Stepper>(core, "Stepper", "Moves particles step by step; see trellis.Simulation.")
        .def(
            "step", [](Stepper& self, double end) { with_device_notes(self, [&] { self.step(end); }); },
            "end"_a = std::numeric_limits<double>::infinity(), "One time step, not beyond the end.")
        .def(
            "run_until",
            [](Stepper& self, double end, bool exact) { with_device_notes(self, [&] { self.run_until(end, exact); }); },
            "end"_a, "exact"_a = true, "Steps until the end; unless exact, the last of fixed steps may go beyond it.")
        .def(
            "run_steps",
            [](Stepper& self, std::uint64_t count) { with_device_notes(self, [&] { self.run_steps(count); }); },
            "count"_a, "Take `count` steps.")
        .def(
            "compute_forces", [](Stepper& self) { with_device_notes(self, [&] { self.compute_forces(); }); },
            "Forces at the present positions.")
        .def(
            "ensure_forces", [](Stepper& self) { with_device_notes(self, [&] { self.ensure_forces(); }); },
            "Forces at the present positions, unless they are known.")
        .def("forces_changed", &Stepper::forces_changed, "Forces are computed again before they are next used.")
        .def(
            "take_changes",
            [](Stepper& self, const ParticleSet& particles) {
                bool any = false;
                with_device_notes(self, [&] { any = self.take_changes(particles); });
                return any;
            },
            "particles"_a, "Take what was changed in particles that stay on a device; true if there was anything.")
        .def(
            "download",
            [](Stepper& self, ParticleSet& particles) { with_device_notes(self, [&] { self.download(particles); }); },
            "particles"_a, "Download particles from a device, each to the row that it came from.")
        .def(
            "save",
            [](Stepper& self, ParticleSet& particles) { with_device_notes(self, [&] { self.save(particles); }); },
            "particles"_a, "The same, with the further columns of a checkpoint.")
        .def_prop_ro("time", &Stepper::time)
        .def_prop_ro("step_count", &Stepper::step_count)
        .def_prop_ro("timestep", &Stepper::timestep)
        .def_prop_ro("step_allowed", &Stepper::step_allowed, "Length that the forces allowed the last chosen step.")
        .def_prop_ro("phases", &phases, "Seconds that each phase of the last step took.")
        .def_prop_ro(
            "cost", [](const Stepper& stepper) { return stepper.work().cost; },
            "Cost of the last forces of this rank, in the time of a pair; 0 if particles stay on a device.")
        .def_prop_ro("interactions", [](const Stepper& stepper) { return stepper.total_work().pairs; })
        .def_prop_ro("bath_energy", &Stepper::bath_energy,
                     "Energy of the thermostat's bath, and what moves of the volume have taken; 0 without them.")
        .def_prop_ro(
            "expansion_work", &Stepper::expansion_work,
            "Integral of the peculiar kinetic energy over the scale factor since the start; 0 where space does not"
            " expand.")
        .def_prop_ro("thermostat_state", &Stepper::thermostat_state, "State of the thermostat for a checkpoint.")
        .def_prop_ro("barostat_state", &Stepper::barostat_state,
                     "State of the barostat for a checkpoint: moves tried, moves accepted, their energy.")
        .def_prop_ro("domain_state", &domain_state,
                     "Division of space for a checkpoint: values of this rank, and of all.");
}
