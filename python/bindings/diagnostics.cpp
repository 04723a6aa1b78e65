// Sums over the particles of all ranks, and the errors of their accelerations.
#include "trellis/run/measures/diagnostics.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "forces.hpp"
#include "python_lock.hpp"
#include "trellis/run/measures/force_error.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace {

using Comm = trellis::Comm;
using Particles = trellis::ParticleSet;
using Vector = trellis::Vec3<double>;

template <double (*sum)(Comm&, const Particles&)>
double number_of(const Particles& particles) {
    return sum(*trellis::world(), particles);
}

// A sum over the particles as a NumPy array of three numbers.
template <Vector (*sum)(Comm&, const Particles&)>
Array<double> vector_of(const Particles& particles) {
    const Vector v = [&] {
        const LockReleased unlocked;
        return sum(*trellis::world(), particles);
    }();
    return array_of(std::vector{v.x, v.y, v.z}, {3});
}

nb::typed<nb::dict, nb::str, double> force_error(const trellis::ParticleSet& particles, const Forces& forces,
                                                 std::size_t count, std::uint64_t seed, double time) {
    check_given(forces);
    trellis::ForceError error;
    {
        const LockReleased unlocked;
        std::vector<std::shared_ptr<trellis::Force>> on_host;
        for (const auto& force : forces) {
            on_host.push_back(force->make({}));
            if (auto beside = force->make_beside()) on_host.push_back(std::move(beside));
        }
        error = trellis::measure_force_error(*trellis::world(), particles, on_host, time, count, seed);
    }
    nb::dict errors;
    errors["rms"] = error.rms;
    errors["median"] = error.median;
    errors["percentile_99"] = error.percentile_99;
    errors["maximum"] = error.maximum;
    errors["over_rms"] = error.over_rms;
    return errors;
}

}  // namespace

void bind_diagnostics(nb::module_& core) {
    using Unlocked = nb::call_guard<LockReleased>;
    core.def("why_not_finite", &trellis::why_not_finite, Unlocked(), "particles"_a, "field"_a, "energy"_a,
             "The sentence about a particle of which the field is not finite, if the energy in it is not.");
    core.def("kinetic_energy", &number_of<trellis::kinetic_energy>, Unlocked(), "particles"_a);
    core.def("potential_energy", &number_of<trellis::potential_energy>, Unlocked(), "particles"_a);
    core.def("external_energy", &number_of<trellis::external_energy>, Unlocked(), "particles"_a,
             "Sum of mass times external_potential; 0 for particles without that field.");
    core.def("internal_energy", &number_of<trellis::total_internal_energy>, Unlocked(), "particles"_a,
             "Sum of mass times internal_energy; 0 for particles without that field.");
    core.def("isothermal_energy", &number_of<trellis::total_isothermal_energy>, Unlocked(), "particles"_a,
             "Sum of mass times isothermal_energy; 0 for particles without that field.");
    core.def("virial", &number_of<trellis::total_virial>, Unlocked(), "particles"_a,
             "Half the sum of the field virial; 0 for particles without it.");
    core.def("drift_energy", &number_of<trellis::drift_energy>, Unlocked(), "particles"_a,
             "Kinetic energy of the centre of mass.");
    core.def("momentum", &vector_of<trellis::momentum>, "particles"_a);
    core.def("angular_momentum", &vector_of<trellis::angular_momentum>, "particles"_a);
    core.def("centre_of_mass", &vector_of<trellis::centre_of_mass>, "particles"_a);
    core.def("force_error", &force_error, "particles"_a, "forces"_a, "count"_a, "seed"_a, "time"_a,
             "Relative error of the accelerations of some particles against direct summation.");
}
