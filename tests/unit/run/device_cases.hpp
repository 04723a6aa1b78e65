// Forces that run on devices, each by another method, and particles that they move.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "unit/forces/sph/gas.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis {

// A force, and particles that it moves.
struct DeviceCase {
    const char* name;
    std::function<std::shared_ptr<ParticleSet>()> particles;
    std::function<std::shared_ptr<Force>(const Devices&)> force;
    double timestep;
};

inline DeviceCase gravity_on_devices(const char* name, Send send, Lists lists) {
    const ForceSettings settings{.theta = 0.5,
                                 .method = Method::tree,
                                 .order = 1,
                                 .group_size = 30,
                                 .lists = lists,
                                 .reuse_steps = 3,
                                 .send = send};
    const auto force = [=](const Devices& devices) -> std::shared_ptr<Force> {
        return gravity(0.05, 1, settings, devices);
    };
    return {name, [] { return moving_plummer(2000); }, force, 1e-4};
}

inline DeviceCase atoms_on_devices() {
    const auto atoms = [] {
        auto particles = std::make_shared<ParticleSet>(random_gas<3>(3000, 5));
        particles->set_region(unit_box<3>);
        return particles;
    };
    const auto force = [](const Devices& devices) -> std::shared_ptr<Force> {
        return lennard_jones(1e-9, 0.01, 0.1, Truncation::plain, {.group_size = 32, .device = devices});
    };
    return {"atoms", atoms, force, 1e-6};
}

inline DeviceCase gas_on_devices() {
    const auto gas = [] {
        auto particles = std::make_shared<ParticleSet>(random_gas<3>(1500, 9));
        particles->set_region(unit_box<3>);
        std::ranges::fill((*particles)[smoothing_length], 0.0);
        return particles;
    };
    const auto force = [](const Devices& devices) -> std::shared_ptr<Force> {
        SphSettings settings;
        settings.neighbours = 30;
        settings.search.group_size = 32;
        settings.search.device = devices;
        return std::make_shared<SphForce>(settings);
    };
    return {"gas", gas, force, 1e-6};
}

inline std::vector<DeviceCase> all_device_cases() {
    return {gravity_on_devices("G1", Send::particles, Lists::rebuild),
            gravity_on_devices("G2", Send::indices, Lists::rebuild),
            gravity_on_devices("G3", Send::indices, Lists::reuse), atoms_on_devices(), gas_on_devices()};
}

}  // namespace trellis
