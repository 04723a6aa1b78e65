// Code common to all forces and all thermostats.
#include "forces.hpp"

#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "trellis/base/error.hpp"

namespace nb = nanobind;

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

DevicesOfForces::DevicesOfForces(std::vector<std::string> standard, const std::optional<std::size_t>& memory,
                                 double grace)
    : standard_(std::move(standard)), open_(memory.value_or(0), milliseconds_of(grace)) {
    if (memory && *memory == 0)
        throw trellis::InputError("device_memory is 0: allowed is above 0, or none, which chooses");
}

void bind_forces(nb::module_& core) {
    nb::class_<AnyForce>(core, "Force", "A force, by its settings.");
    nb::class_<AnyThermostat>(core, "Thermostat", "What holds a temperature, by its settings.");
}
