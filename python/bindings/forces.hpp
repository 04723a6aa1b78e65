// Forces and thermostats as Python has them: settings, of which each simulation makes one of its own. A force of its own file derives from
// AnyForce, and gives that as its base to nb::class_; bind_forces comes first.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/integrate/thermostat.hpp"

struct AnyForce {
    virtual ~AnyForce() = default;

    // device: null for this process's own threads. Throws InputError for settings that cannot be followed there.
    virtual std::unique_ptr<trellis::Force> make(std::shared_ptr<trellis::Device> device) const = 0;
    // As a person would type it.
    virtual std::string text() const = 0;
};

struct AnyThermostat {
    virtual ~AnyThermostat() = default;

    virtual std::unique_ptr<trellis::Thermostat> make() const = 0;
    virtual std::string text() const = 0;
};

// As Python hands them over.
using Forces = std::vector<std::shared_ptr<const AnyForce>>;

// Throws InputError if one of them is None.
void check_given(const Forces& forces);
std::vector<std::shared_ptr<trellis::Force>> make_all(const Forces& forces,
                                                      const std::shared_ptr<trellis::Device>& device);
