// Gravity as Python has it: settings, of which each simulation makes a force of its own.
#pragma once

#include <memory>
#include <utility>

#include "trellis/forces/gravity_force.hpp"

struct GravitySettings {
    double softening = 0;
    double G = 1;
    trellis::ForceSettings force;

    // device: null for this process's own threads.
    std::unique_ptr<trellis::TreeForce> make(std::shared_ptr<trellis::Device> device = nullptr) const {
        return trellis::gravity(softening, G, force, std::move(device));
    }
};
