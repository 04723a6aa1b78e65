// Simulation: steps without Python's lock, and sums over the particles.
#include "trellis/run/simulation.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "gravity.hpp"
#include "trellis/run/diagnostics.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::Simulation;

namespace {

void make(Simulation* self, std::shared_ptr<trellis::ParticleSet> particles, const std::vector<GravitySettings>& forces,
          double timestep, double time, std::uint64_t step_count, bool restored) {
    Simulation made(std::move(particles), timestep);
    made.resume(time, step_count);
    for (const GravitySettings& force : forces) made.add_force(force.make());  // whose results are not known yet
    if (restored) made.resume(time, step_count);
    new (self) Simulation(std::move(made));
}

nb::dict phases(const Simulation& simulation) {
    nb::dict seconds;
    for (std::size_t k = 0; k < trellis::phase_names.size(); ++k)
        seconds[trellis::phase_names[k].data()] = simulation.phases().seconds(static_cast<trellis::Phase>(k));
    return seconds;
}

// A function of the particles, as a method of the simulation that returns a NumPy array of three numbers.
template <trellis::Vec3<double> (*sum)(const trellis::ParticleSet&)>
nb::object vector_of(const Simulation& simulation) {
    const trellis::Vec3<double> v = sum(simulation.particles());
    const double values[] = {v.x, v.y, v.z};
    return nb::cast(nb::ndarray<nb::numpy, const double, nb::shape<3>>(values), nb::rv_policy::copy);
}

template <double (*sum)(const trellis::ParticleSet&)>
double scalar_of(const Simulation& simulation) {
    return sum(simulation.particles());
}

nb::dict force_error(Simulation& simulation, std::size_t count, std::uint64_t seed) {
    trellis::ForceError error;
    {
        const nb::gil_scoped_release unlocked;
        error = simulation.force_error(count, seed);
    }
    nb::dict errors;
    errors["rms"] = error.rms;
    errors["median"] = error.median;
    errors["percentile_99"] = error.percentile_99;
    errors["maximum"] = error.maximum;
    return errors;
}

}  // namespace

void bind_simulation(nb::module_& core) {
    using Unlocked = nb::call_guard<nb::gil_scoped_release>;
    nb::class_<Simulation>(core, "Simulation", "Particles that move under forces; see trellis.Simulation.")
        .def("__init__", &make, "particles"_a, "forces"_a, "timestep"_a, "time"_a = 0.0, "step_count"_a = 0,
             "restored"_a = false)
        .def("step", &Simulation::step, Unlocked(), "One time step.")
        .def("compute_forces", &Simulation::compute_forces, Unlocked(), "Forces at the present positions.")
        .def_prop_ro("time", &Simulation::time)
        .def_prop_ro("step_count", &Simulation::step_count)
        .def_prop_ro("timestep", &Simulation::timestep)
        .def("kinetic_energy", &scalar_of<trellis::kinetic_energy>)
        .def("potential_energy", &scalar_of<trellis::potential_energy>)
        .def("momentum", &vector_of<trellis::momentum>)
        .def("angular_momentum", &vector_of<trellis::angular_momentum>)
        .def("centre_of_mass", &vector_of<trellis::centre_of_mass>)
        .def("force_error", &force_error, "count"_a, "seed"_a)
        .def_prop_ro("phases", &phases, "Seconds that each phase of the last step took.")
        .def_prop_ro("interactions", [](const Simulation& simulation) { return simulation.work().pairs; });
}
