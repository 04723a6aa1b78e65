// The softening of each particle, from its type or from the particles themselves.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <string>
#include <variant>

#include "trellis/forces/decorators/among_types.hpp"
#include "trellis/forces/gravity/comoving_softening.hpp"

namespace trellis {

// Settings of softenings that differ between particles.
struct SofteningOfEach {
    std::map<std::string, double>
        by_type;  // softening of each type, from which the field `softening` is set; empty: the field is given
    double max_physical = std::numeric_limits<double>::infinity();  // see ComovingSoftening; for softenings by type
};

// One length for all particles, or lengths that differ.
using GravitySoftening = std::variant<ComovingSoftening, SofteningOfEach>;

// Throws InputError unless softening is allowed. whose: for the message, such as " of gas".
void check_softening(double softening, const std::string& whose = "");

// Sets the column of softenings.
class SofteningField {
  public:
    // Throws InputError for a type or a length that is not allowed.
    explicit SofteningField(const SofteningOfEach& softening);

    // Sets the field `softening`, added if it is missing, by the types of the particles; without softenings by type, it
    // must be there. Throws InputError if it is not, or naming a particle of a type without softening.
    void attach(ParticleSet& particles) const;
    // Sets the field again at scale factor a, if lengths are limited, and checks that no value is negative.
    void renew(ParticleSet& particles, double a) const;

    bool by_type() const { return by_type_; }
    bool limited() const { return max_physical_ < std::numeric_limits<double>::infinity(); }
    // The comoving length at scale factor a of a softening `length`.
    double at(double a, double length) const { return ComovingSoftening{length, max_physical_}.at(a); }

  private:
    void set_by_type(ParticleSet& particles, double a) const;

    bool by_type_;
    double max_physical_;
    std::array<double, particle_types.size()> of_types_;  // by the number of the type; NaN: it has none
};

}  // namespace trellis
