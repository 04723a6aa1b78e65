// Gravity in a periodic cube: the far images, which no list has.
#pragma once

#include <memory>

#include "trellis/forces/tree/periodic_complement.hpp"

namespace trellis {

// softening: one for all particles, unless softening_of_each: then each has its own, in the field `softening`.
struct PeriodicGravitySettings {
    double softening = 0, G = 1;
    bool softening_of_each = false;
};

// The force of all images of all sources in a box that is periodic along all axes, by Ewald's sum: four values, see
// Force::reference.
void gravity_of_all_images(const PeriodicGravitySettings& settings, const ParticleSet& sources,
                           const ParticleSet& targets, std::uint32_t row, std::int64_t self, double* values);

// The part of gravity that a tree force lacks in a periodic cube. The settings may change from step to step.
std::unique_ptr<PeriodicComplement> periodic_gravity(std::shared_ptr<const PeriodicGravitySettings> settings);

}  // namespace trellis
