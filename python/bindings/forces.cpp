// Code common to all forces and all thermostats.
#include "forces.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "bindings.hpp"
#include "trellis/base/error.hpp"

namespace nb = nanobind;

namespace {

// grace: seconds.
std::chrono::milliseconds milliseconds_of(double grace) {
    return std::chrono::round<std::chrono::milliseconds>(std::chrono::duration<double>(grace));
}

}  // namespace

SystemsForce AnyForce::among_systems() const {
    throw trellis::InputError(
        "this force does not act among the particles of small systems: allowed are Gravity, LennardJones, an"
        " interaction written in Python, forces over given tuples, and None");
}

bool AnyForce::gives_virial() const {
    const std::unique_ptr<trellis::Force> force = make({});
    const auto is_virial = [](const trellis::FieldInfo& field) { return field.name == trellis::Virial::name; };
    return force->results().empty() || std::ranges::any_of(force->results(), is_virial);
}

void check_given(const Forces& forces) {
    for (const auto& force : forces)
        if (force == nullptr) throw trellis::InputError("a force is None: allowed are forces, such as Gravity");
}

DevicesOfForces::DevicesOfForces(DeviceOptions options)
    : options_(std::move(options)),
      open_(options_.memory, milliseconds_of(options_.grace)),
      spares_(
          std::make_shared<trellis::SpareDevices>(options_.spares, options_.memory, milliseconds_of(options_.grace))),
      pairs_(spares_) {}

std::unique_ptr<trellis::Force> AnyForce::make_with(DevicesOfForces& devices) const { return make(devices.of(*this)); }

trellis::Devices DevicesOfForces::of(const std::vector<std::string>& names) {
    const trellis::Devices devices = open_.of(names);
    any_ = any_ || !devices.none();
    return options_.redundant == 2 && !devices.none() ? pairs_.of(devices) : devices;
}

void DevicesOfForces::check_redundant() const {
    if (options_.redundant == 2 && !any_)
        throw trellis::InputError("redundant is 2, but the device is host: allowed are lists of two devices or more");
}

void bind_forces(nb::module_& core) {
    nb::class_<AnyForce>(core, "Force", "A force, by its settings.")
        .def_prop_ro("gives_virial", &AnyForce::gives_virial, "True if a pressure counts the force.");
    nb::class_<AnyThermostat>(core, "Thermostat", "What holds a temperature, by its settings.");
}
