// A force: something that adds to the result columns of the particles.
#pragma once

#include <cstddef>
#include <span>

#include "trellis/base/phase.hpp"
#include "trellis/forces/kernels.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

class Force {
  public:
    virtual ~Force() = default;

    // Adds the force on every particle. previous holds the magnitude of each row's last acceleration, or is empty if there was none.
    // Throws InputError if a column that it reads is missing or not finite.
    virtual Work add(ParticleSet& particles, std::span<const double> previous, Phases& phases) = 0;

    // Whether the last acceleration decides how accurate this force has to be.
    virtual bool uses_previous_acceleration() const = 0;

    // The columns that it adds to.
    virtual std::span<const FieldInfo> results() const = 0;

    // The same for one row by direct summation in double precision: a value for each component of results().
    virtual void reference(const ParticleSet& particles, std::uint32_t row, double* values) const = 0;
};

}  // namespace trellis
