// Gravity in a periodic cube: what the images add that no tree has.
#pragma once

#include <memory>

#include "trellis/forces/tree/periodic_complement.hpp"

namespace trellis {

// softening: of all particles; softening_of_each: they have one each, in the field `softening`. See gravity.
struct PeriodicGravitySettings {
    double softening = 0, G = 1;
    bool softening_of_each = false;
};

// The force of all images of all sources in a box that is periodic along all axes, by Ewald's sum: four values, see
// Force::reference.
void gravity_of_all_images(const PeriodicGravitySettings& settings, const ParticleSet& sources,
                           const ParticleSet& targets, std::uint32_t row, std::int64_t self, double* values);

// The settings may change from step to step.
std::unique_ptr<PeriodicComplement> periodic_gravity(std::shared_ptr<const PeriodicGravitySettings> settings);

}  // namespace trellis
