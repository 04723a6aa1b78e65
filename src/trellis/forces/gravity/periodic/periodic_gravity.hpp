// Gravity in a periodic cube: what the images add that no tree has.
#pragma once

#include <memory>

#include "trellis/forces/tree/lattice_sum.hpp"

namespace trellis {

// softening: of all particles; softening_of_each: they have one each, in the field `softening`. See gravity.
struct PeriodicGravitySettings {
    double softening = 0, G = 1;
    bool softening_of_each = false;
};

// The settings may change from step to step.
std::unique_ptr<LatticeSum> periodic_gravity(std::shared_ptr<const PeriodicGravitySettings> settings);

}  // namespace trellis
