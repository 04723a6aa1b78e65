// The acceleration of particles by each other: the whole one without that by external fields and bonds, which may be
// much stronger. The accuracy of gravity and of Coulomb's force refers to it.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "trellis/particles/field.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Beside Acceleration, which contains it. Columns whose names begin with _ stay out of snapshots.
struct ExternalAcceleration : Field<Vec3<double>, "_external_acceleration", "length / time^2",
                                    "acceleration by all external fields and bonds"> {};

// Reads the accelerations of particles, which outlive it, at their last step.
class MutualAcceleration {
  public:
    explicit MutualAcceleration(const ParticleSet& particles) : whole_(particles[fields::acceleration]) {
        if (particles.has(ExternalAcceleration::name)) external_ = particles[ExternalAcceleration{}];
    }

    Vec3<double> operator[](std::size_t row) const {
        return external_.empty() ? whole_[row] : whole_[row] - external_[row];
    }
    double magnitude(std::size_t row) const {
        const Vec3<double> a = (*this)[row];
        return std::sqrt(dot(a, a));
    }

  private:
    std::span<const Vec3<double>> whole_, external_;  // external_: empty without external fields and bonds
};

}  // namespace trellis
