// The acceleration of a particle in a field that acts on its strength.
#pragma once

#include <span>
#include <string>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Response s / m of a particle with strength s, such as a charge; 1 where the strength is the mass.
class Response {
  public:
    // Throws InputError if the particles lack the strength.
    Response(const ParticleSet& particles, const std::string& strength)
        : strengths_(particles.column(strength).values(), particles.size()),
          masses_(particles[fields::mass]),
          gravity_(strength == Mass::name) {}

    std::span<const double> strengths() const { return strengths_; }
    bool gravity() const { return gravity_; }
    double operator()(std::size_t row) const { return gravity_ ? 1 : strengths_[row] / masses_[row]; }

  private:
    std::span<const double> strengths_, masses_;
    bool gravity_;
};

}  // namespace trellis
