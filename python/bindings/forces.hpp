// Forces and thermostats in Python: settings, from which each simulation makes a force or a thermostat of its own. A
// force with a file of its own derives from AnyForce, and gives that as its base to nb::class_; bind_forces comes
// first.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device_options.hpp"
#include "python_lock.hpp"
#include "trellis/base/error.hpp"
#include "trellis/devices/devices.hpp"
#include "trellis/devices/redundant/device_pairs.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/ensembles/system_table.hpp"
#include "trellis/forces/bonded/topology.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/integrate/thermostats/thermostat.hpp"
#include "trellis/lists/neighbours/exclusions.hpp"

// A force among the particles of small systems.
struct SystemsForce {
    trellis::SystemKernels kernels;
    std::vector<std::byte> interaction;
    std::vector<trellis::ExcludedPair> excluded = {};
};
template <class I>
SystemsForce systems_force(const trellis::SystemKernels& kernels, const I& interaction) {
    const auto bytes = std::as_bytes(std::span(&interaction, 1));
    return {kernels, {bytes.begin(), bytes.end()}};
}

class DevicesOfForces;

struct AnyForce {
    virtual ~AnyForce() = default;

    // devices: none for the threads of this process. Throws InputError for settings that cannot be followed there.
    virtual std::unique_ptr<trellis::Force> make(const trellis::Devices& devices) const = 0;
    // A force of the host that acts beside it, as a part of it; null for most.
    virtual std::unique_ptr<trellis::Force> make_beside() const { return nullptr; }
    // Makes it with the devices that it names, or else those of the simulation.
    virtual std::unique_ptr<trellis::Force> make_with(DevicesOfForces& devices) const;
    // Throws InputError for settings that cannot be used.
    void check() const {
        make({});
        make_beside();
    }
    // True if the force adds to the field virial, and so to a pressure, or has no results.
    bool gives_virial() const;
    // Throws InputError for a force that small systems do not know.
    virtual SystemsForce among_systems() const;
    // The potential of a force over given tuples of particles; null for other forces.
    virtual const trellis::TuplePotential* over_tuples() const { return nullptr; }

    std::vector<std::string> device;  // names; empty: those of the simulation
};

struct AnyThermostat {
    virtual ~AnyThermostat() = default;

    virtual std::unique_ptr<trellis::Thermostat> make() const = 0;
    // The bath of system k of an ensemble.
    virtual void give(trellis::SystemSettings& system, std::size_t k) const = 0;
    // Throws InputError for settings that cannot be used.
    void check() const { make(); }
};

// The barostat of a simulation, or of the systems of an ensemble.
struct BarostatSettings {
    // The barostat of system k, which has `particles` particles; a simulation is system 0.
    trellis::Barostat of(std::size_t k, std::size_t particles) const;
    void check() const {}  // its parameters have their limits

    double pressure = 0;
    std::uint64_t every = 10;
    std::optional<double> longest_move;  // open: by the number of particles
    std::optional<std::uint64_t> seed;   // open: Python gives it one that is made of the particles
};

// Forces as Python hands them over.
using Forces = std::vector<std::shared_ptr<const AnyForce>>;

// The devices of one simulation or ensemble.
class DevicesOfForces {
  public:
    // replaced: names of devices that have failed before. Forces that name them have the others of their list, or
    // else a spare.
    explicit DevicesOfForces(DeviceOptions options, std::vector<std::string> replaced = {});

    // The devices of these names; none for "host". Throws InputError if there is no such device, or it has no pair.
    trellis::Devices of(const std::vector<std::string>& names);
    // The devices of a force: those of the options, if it names none.
    trellis::Devices of(const AnyForce& force) { return of(force.device.empty() ? options_.device : force.device); }
    // The device of that name, without one to compare it with; none for "host".
    trellis::Devices alone(const std::string& name) { return open_.of({was_replaced(name) ? "host" : name}); }
    // Throws InputError if pairs are wanted, and all forces are on the host.
    void check_redundant() const;
    const std::shared_ptr<trellis::SpareDevices>& spares() const { return spares_; }

  private:
    bool was_replaced(const std::string& name) const;
    trellis::Devices open(const std::vector<std::string>& names);
    trellis::Devices pairs_of(const trellis::Devices& devices);

    DeviceOptions options_;
    const std::vector<std::string> replaced_;
    trellis::OpenDevices open_;
    std::shared_ptr<trellis::SpareDevices> spares_;
    trellis::DevicePairs pairs_;
    std::optional<trellis::SpareDevices::Spare> spare_;                 // of forces whose devices were all replaced
    std::map<std::string, std::shared_ptr<trellis::Device>> partners_;  // of devices whose pair has lost the other one
    bool any_ = false;                                                  // device of any force
};

// Carries out a call on devices, without Python's lock, and warns of those that were replaced meanwhile.
template <class On, class Call>
void with_device_notes(On& on, const Call& call) {
    const auto warn = [&] {
        for (const std::string& note : on.take_device_notes())
            if (PyErr_WarnEx(PyExc_RuntimeWarning, note.c_str(), 1) != 0) throw nanobind::python_error();
    };
    try {
        const LockReleased unlocked;
        call();
    } catch (const trellis::RunError&) {
        warn();
        throw;
    }
    warn();
}

// Numbers by name, a dictionary for each force of a simulation.
template <class Number>
using OfEachForce = nanobind::typed<nanobind::list, nanobind::typed<nanobind::dict, nanobind::str, Number>>;

// Throws InputError if one of the forces is None.
void check_given(const Forces& forces);
