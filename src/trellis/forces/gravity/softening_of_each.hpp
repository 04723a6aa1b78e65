// The softening of each particle, from its type or from the particles themselves.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <string>

#include "trellis/forces/among_types.hpp"
#include "trellis/forces/gravity/comoving_softening.hpp"

namespace trellis {

// What a user says about the softenings.
struct SofteningOfEach {
    std::map<std::string, double> by_type;  // the field `softening` is set by the particles' types; none: it is given
    double max_physical = std::numeric_limits<double>::infinity();  // see ComovingSoftening; of those by type
};

// Throws InputError unless it is allowed. whose: such as " of gas".
void check_softening(double softening, const std::string& whose = "");

// Makes a column of softenings what a user has said.
class SofteningField {
  public:
    // Throws InputError for a type or a length that is not allowed.
    explicit SofteningField(const SofteningOfEach& softening);

    // Makes the field `softening`, added if it is missing, that of the types; without types, it must be there. Throws
    // InputError if it cannot, and names the particle if one is of a type without softening.
    void attach(ParticleSet& particles) const;
    // The same for a field that is there, and has no negative values then, at a scale factor if lengths are limited.
    void renew(ParticleSet& particles, double a) const;

    bool limited() const { return max_physical_ < std::numeric_limits<double>::infinity(); }
    // What a comoving length is at a scale factor.
    double at(double a, double length) const { return ComovingSoftening{length, max_physical_}.at(a); }

  private:
    void set_by_type(ParticleSet& particles, double a) const;

    bool by_type_;
    double max_physical_;
    std::array<double, particle_types.size()> of_types_;  // by the number of the type; NaN: it has none
};

}  // namespace trellis
