// Forces and thermostats in Python: settings, from which each simulation makes a force or a thermostat of its own. A
// force with a file of its own derives from AnyForce, and gives that as its base to nb::class_; bind_forces comes
// first.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trellis/devices/devices.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/integrate/thermostat.hpp"

struct AnyForce {
    virtual ~AnyForce() = default;

    // devices: none for the threads of this process. Throws InputError for settings that cannot be followed there.
    virtual std::unique_ptr<trellis::Force> make(const trellis::Devices& devices) const = 0;
    // Throws InputError for settings that cannot be used.
    void check() const { make({}); }

    std::vector<std::string> device;  // names; empty: those of the simulation
};

struct AnyThermostat {
    virtual ~AnyThermostat() = default;

    virtual std::unique_ptr<trellis::Thermostat> make() const = 0;
    // Throws InputError for settings that cannot be used.
    void check() const { make(); }
};

// Forces as Python hands them over.
using Forces = std::vector<std::shared_ptr<const AnyForce>>;

// The time of grace of devices of other machines. Throws InputError if it is out of range. grace: seconds.
std::chrono::milliseconds milliseconds_of(double grace);

// The devices of one simulation.
class DevicesOfForces {
  public:
    // standard: devices of forces that name none; memory: bytes that may be used on each, none: all; grace: seconds.
    DevicesOfForces(std::vector<std::string> standard, const std::optional<std::size_t>& memory, double grace);

    // The devices of a force; none for "host". Throws InputError if there is no such device.
    trellis::Devices of(const AnyForce& force) { return open_.of(force.device.empty() ? standard_ : force.device); }

  private:
    std::vector<std::string> standard_;
    trellis::OpenDevices open_;
};

// Numbers by name, a dictionary for each force of a simulation.
template <class Number>
using OfEachForce = nanobind::typed<nanobind::list, nanobind::typed<nanobind::dict, nanobind::str, Number>>;

// Throws InputError if one of the forces is None.
void check_given(const Forces& forces);
