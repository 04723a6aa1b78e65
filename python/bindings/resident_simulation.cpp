// ResidentSimulation: particles that stay on a device, stepped without Python's lock.
#include "trellis/run/resident_simulation.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "bindings.hpp"
#include "gravity.hpp"
#include "trellis/devices/open.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::ResidentSimulation;

namespace {

void make(ResidentSimulation* self, const trellis::ParticleSet& particles, const GravitySettings& gravity,
          double timestep, const std::string& device, std::size_t device_memory) {
    new (self) ResidentSimulation(particles, gravity.softening, gravity.G, gravity.force, timestep,
                                  trellis::open_device(device, device_memory));
}

nb::dict list_use(const ResidentSimulation& simulation) {
    nb::dict facts;
    facts["constructions"] = simulation.list_use().constructions;
    facts["early"] = simulation.list_use().early;
    facts["reuses"] = simulation.list_use().reuses;
    return facts;
}

nb::dict take_times(ResidentSimulation& simulation) {
    const trellis::Phases phases = simulation.take_times().phases;
    nb::dict seconds;
    for (std::size_t k = 0; k < trellis::phase_names.size(); ++k)
        seconds[trellis::phase_names[k].data()] = phases.seconds(static_cast<trellis::Phase>(k));
    return seconds;
}

}  // namespace

void bind_resident_simulation(nb::module_& core) {
    using Unlocked = nb::call_guard<nb::gil_scoped_release>;
    nb::class_<ResidentSimulation>(core, "ResidentSimulation",
                                   R"(Particles that stay on a device and move there under gravity (method G4).

Tree, lists, forces, kick and drift are all computed there, with superparticles (method 'tree', order 1).

Parameters
----------
particles : ParticleSet
    What to start from; copied to the device, and left as it is.
gravity : Gravity
    The force.
timestep : float
    Time step.
device : str
    'cpu', 'cuda:0', ...
device_memory : int
    Bytes that may be used of the device's memory; 0: all.

Raises
------
ValueError
    If an argument is out of its range.
RuntimeError
    If the device cannot hold the particles, or fails.)")
        .def("__init__", &make, "particles"_a, "gravity"_a, "timestep"_a, nb::kw_only(), "device"_a,
             "device_memory"_a = 0)
        .def("step", &ResidentSimulation::step, Unlocked(), "One time step.")
        .def("run", &ResidentSimulation::run_until, Unlocked(), "until"_a, "Steps until a time is reached.")
        .def("download", &ResidentSimulation::download, Unlocked(), "particles"_a,
             "Bring position, velocity, mass, acceleration and potential back, each to the row in which the particle "
             "came.")
        .def_prop_ro("time", &ResidentSimulation::time)
        .def_prop_ro("step_count", &ResidentSimulation::step_count)
        .def_prop_ro("list_use", &list_use, "How often lists were made (constructions, early) and reused (reuses).")
        .def("take_times", &take_times, "Seconds that the device spent in each phase since the last call of this.");
}
