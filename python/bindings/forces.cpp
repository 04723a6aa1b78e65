// Code common to all forces and all thermostats.
#include "forces.hpp"

#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "trellis/base/error.hpp"

namespace nb = nanobind;

SystemsForce AnyForce::among_systems() const {
    throw trellis::InputError(
        "this force does not act among the particles of small systems: allowed are Gravity, LennardJones, and None");
}

void check_given(const Forces& forces) {
    for (const auto& force : forces)
        if (force == nullptr) throw trellis::InputError("a force is None: allowed are forces, such as Gravity");
}

std::chrono::milliseconds milliseconds_of(double grace) {
    const double longest = std::chrono::duration<double>(trellis::longest_grace).count();
    if (!(grace >= 0 && grace <= longest))
        throw trellis::InputError("grace is " + std::string(nb::str(nb::float_(grace)).c_str()) +
                                  ": allowed is 0 to 3600 seconds");
    return std::chrono::round<std::chrono::milliseconds>(std::chrono::duration<double>(grace));
}

DevicesOfForces::DevicesOfForces(DeviceChoice choice)
    : choice_(std::move(choice)),
      open_(choice_.memory.value_or(0), milliseconds_of(choice_.grace)),
      spares_(std::make_shared<trellis::SpareDevices>(choice_.spares, choice_.memory.value_or(0),
                                                      milliseconds_of(choice_.grace))),
      pairs_(spares_) {
    if (choice_.memory && *choice_.memory == 0)
        throw trellis::InputError("device_memory is 0: allowed is above 0, or none, which chooses");
    if (choice_.redundant < 1 || choice_.redundant > 2)
        throw trellis::InputError("redundant is " + std::to_string(choice_.redundant) + ": allowed are 1 and 2");
}

std::unique_ptr<trellis::Force> AnyForce::make_with(DevicesOfForces& devices) const { return make(devices.of(*this)); }

trellis::Devices DevicesOfForces::of(const std::vector<std::string>& names) {
    const trellis::Devices devices = open_.of(names);
    any_ = any_ || !devices.none();
    return choice_.redundant == 2 && !devices.none() ? pairs_.of(devices) : devices;
}

void DevicesOfForces::check_redundant() const {
    if (choice_.redundant == 2 && !any_)
        throw trellis::InputError("redundant is 2, but the device is host: allowed are lists of two devices or more");
}

void bind_forces(nb::module_& core) {
    nb::class_<AnyForce>(core, "Force", "A force, by its settings.");
    nb::class_<AnyThermostat>(core, "Thermostat", "What holds a temperature, by its settings.");
}
