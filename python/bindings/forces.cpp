// What all forces, and all thermostats, have in common.
#include "forces.hpp"

#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "trellis/base/error.hpp"

namespace nb = nanobind;

void check_given(const Forces& forces) {
    for (const auto& force : forces)
        if (force == nullptr) throw trellis::InputError("a force is None: allowed are forces, such as Gravity");
}

std::vector<std::shared_ptr<trellis::Force>> make_all(const Forces& forces,
                                                      const std::shared_ptr<trellis::Device>& device) {
    check_given(forces);
    std::vector<std::shared_ptr<trellis::Force>> made;
    for (const auto& force : forces) made.push_back(force->make(device));
    return made;
}

void bind_forces(nb::module_& core) {
    nb::class_<AnyForce>(core, "Force", "A force, by its settings.").def("__repr__", &AnyForce::text);
    nb::class_<AnyThermostat>(core, "Thermostat", "What holds a temperature, by its settings.")
        .def("__repr__", &AnyThermostat::text);
}
