// Forces and thermostats in Python: settings, from which each simulation makes a force or a thermostat of its own. A
// force with a file of its own derives from AnyForce, and gives that as its base to nb::class_; bind_forces comes
// first.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/integrate/thermostat.hpp"

struct AnyForce {
    virtual ~AnyForce() = default;

    // device: null for the threads of this process. Throws InputError for settings that cannot be followed there.
    virtual std::unique_ptr<trellis::Force> make(std::shared_ptr<trellis::Device> device) const = 0;
    // Throws InputError for settings that cannot be used.
    void check() const { make(nullptr); }

    std::optional<std::string> device;  // none: the simulation's device
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

// The devices of one simulation, each opened once however many forces name it.
class Devices {
  public:
    // standard: device of forces that name none; memory: bytes that may be used on each device, none: all;
    // grace: seconds.
    Devices(std::string standard, const std::optional<std::size_t>& memory, double grace);

    // The device of a force; null for "host". Throws InputError if there is no such device.
    std::shared_ptr<trellis::Device> of(const AnyForce& force);

  private:
    std::string standard_;
    std::size_t memory_;
    std::chrono::milliseconds grace_;
    std::map<std::string, std::shared_ptr<trellis::Device>> open_;
};

// Numbers by name, a dictionary for each force of a simulation.
template <class Number>
using OfEachForce = nanobind::typed<nanobind::list, nanobind::typed<nanobind::dict, nanobind::str, Number>>;

// Throws InputError if one of the forces is None.
void check_given(const Forces& forces);
