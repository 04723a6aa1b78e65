#include "simulation_options.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace nb = nanobind;

void bind_simulation_options(nb::module_& core) {
    using Options = SimulationOptions;
    const auto or_none = nb::for_setter(nb::arg("value").none());
    nb::class_<Options>(core, "SimulationOptions", "Options of a simulation; see trellis.Simulation.")
        .def(nb::init<>())
        .def_rw("devices", &Options::devices)
        .def_rw("replaced_devices", &Options::replaced_devices, "Those that have failed: spares take their place.")
        .def_rw("timestep", &Options::timestep, or_none)
        .def_rw("time", &Options::time)
        .def_rw("initial_time", &Options::initial_time, "Time at which the run was begun, at a checkpoint.")
        .def_rw("keep_order", &Options::keep_order)
        .def_rw("thermostat", &Options::thermostat, or_none)
        .def_rw("barostat", &Options::barostat, or_none)
        .def_rw("cosmology", &Options::cosmology, or_none)
        .def_rw("log_step", &Options::log_step, or_none)
        .def_rw("individual_steps", &Options::individual_steps, or_none)
        .def_rw("restored", &Options::restored, "True if the particles have the forces of a checkpoint.")
        .def_rw("step_count", &Options::step_count)
        .def_rw("domains", &Options::domains, "`domain_state` at the checkpoint.")
        .def_rw("thermostat_state", &Options::thermostat_state)
        .def_rw("barostat_state", &Options::barostat_state)
        .def_rw("step_allowed", &Options::step_allowed)
        .def_rw("expansion_work", &Options::expansion_work);
}
