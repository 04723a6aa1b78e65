// The acceleration of particles by each other at any distance: by gravity and by charges, without that by external
// fields, bonds, pairs within a cutoff and pressure, which may be much stronger. The accuracy of gravity and of
// Coulomb's force refers to it.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "trellis/particles/field.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Beside Acceleration, which contains it: the sum over forces with Force::counts_for_accuracy. There if others give an
// acceleration, too. Columns whose names begin with _ stay out of snapshots.
struct MutualAcceleration : Field<Vec3<double>, "_mutual_acceleration", "length / time^2",
                                  "acceleration to which the accuracy of gravity and of Coulomb's force refers"> {};

// Reads it of particles, which outlive this, at their last step.
class MutualAccelerations {
  public:
    explicit MutualAccelerations(const ParticleSet& particles)
        : values_(particles.has(MutualAcceleration::name) ? particles[MutualAcceleration{}]
                                                          : particles[fields::acceleration]) {}

    double magnitude(std::size_t row) const { return std::sqrt(dot(values_[row], values_[row])); }

  private:
    std::span<const Vec3<double>> values_;
};

}  // namespace trellis
