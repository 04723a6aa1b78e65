// Gravity as Python has it: settings, of which each simulation makes a force of its own.
#pragma once

#include <memory>

#include "trellis/forces/gravity_force.hpp"

struct GravitySettings {
    double softening = 0;
    double G = 1;
    trellis::ForceSettings force;

    std::unique_ptr<trellis::TreeForce> make() const { return trellis::gravity(softening, G, force); }
};
