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

// Without spares that have failed.
DeviceOptions without(DeviceOptions options, const std::vector<std::string>& replaced) {
    std::erase_if(options.spares,
                  [&](const auto& each) { return std::ranges::find(replaced, each) != replaced.end(); });
    return options;
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

DevicesOfForces::DevicesOfForces(DeviceOptions options, std::vector<std::string> replaced)
    : options_(without(std::move(options), replaced)),
      replaced_(std::move(replaced)),
      open_(options_.memory, milliseconds_of(options_.grace)),
      spares_(
          std::make_shared<trellis::SpareDevices>(options_.spares, options_.memory, milliseconds_of(options_.grace))),
      pairs_(spares_) {}

std::unique_ptr<trellis::Force> AnyForce::make_with(DevicesOfForces& devices) const { return make(devices.of(*this)); }

trellis::Devices DevicesOfForces::of(const std::vector<std::string>& names) {
    const trellis::Devices devices = open(names);
    any_ = any_ || !devices.none();
    return options_.redundant == 2 && !devices.none() ? pairs_of(devices) : devices;
}

bool DevicesOfForces::was_replaced(const std::string& name) const {
    return std::ranges::find(replaced_, name) != replaced_.end();
}

trellis::Devices DevicesOfForces::open(const std::vector<std::string>& names) {
    if (replaced_.empty()) return open_.of(names);
    std::vector<std::string> left = trellis::with_copies(names);
    std::erase_if(left, [&](const auto& each) { return was_replaced(each); });
    if (!left.empty()) return open_.of(left);
    if (!spare_) spare_ = spares_->next();
    if (!spare_) throw trellis::RunError("device " + names.back() + " has failed, and no spare is left");
    return spare_->device;
}

trellis::Devices DevicesOfForces::pairs_of(const trellis::Devices& devices) {
    if (replaced_.empty() || devices.count() > 1) return pairs_.of(devices);
    auto& partner = partners_[devices.first()->name()];
    if (partner == nullptr) partner = spares_->of_kind(devices.all());
    return partner == nullptr ? devices : pairs_.of(trellis::Devices({devices.first(), partner}));
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
