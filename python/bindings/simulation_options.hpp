// The options of a simulation, beside its particles and forces.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cosmology.hpp"
#include "device_options.hpp"
#include "forces.hpp"
#include "individual_steps.hpp"

struct SimulationOptions {
    DeviceOptions devices;
    std::vector<std::string> replaced_devices;  // of `devices`, those that have failed: spares take their place
    std::optional<double> timestep;             // none: each step is as long as the forces allow
    double time = 0;
    bool keep_order = false;
    std::shared_ptr<const AnyThermostat> thermostat;          // may be null
    std::optional<BarostatSettings> barostat;                 // none: the box does not change
    std::optional<CosmologySettings> cosmology;               // none: space does not expand
    std::optional<double> log_step;                           // none: each step is as long as the forces allow
    std::optional<IndividualStepsSettings> individual_steps;  // instead of timestep or log_step

    // The state at a checkpoint. restored: the particles have the forces that belong to `time`.
    bool restored = false;
    double initial_time = 0;  // at which the run was begun
    std::uint64_t step_count = 0;
    std::pair<std::vector<double>, std::vector<double>> domains;  // see trellis::DomainState
    std::vector<double> thermostat_state, barostat_state;
    double step_allowed = std::numeric_limits<double>::infinity();
    double expansion_work = 0;
};
