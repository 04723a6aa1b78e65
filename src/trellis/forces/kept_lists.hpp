// What it takes to make the lists of an earlier step again, in columns of the particles, so that a checkpoint holds them: a resumed run
// then reuses the very lists that the unbroken run reuses, bit for bit.
#pragma once

#include <span>
#include <string>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

class KeptLists {
  public:
    // Adds the columns for the force of that number, where they are missing. Names that begin with _ stay out of snapshots.
    void attach(ParticleSet& particles, std::size_t number);

    // Notes the present positions and the tolerances that lists are made with, one a row, or none.
    void note(ParticleSet& particles, std::span<const double> tolerance);

    // Whether anything has been noted.
    bool noted(const ParticleSet& particles) const;

    const std::string& positions() const { return positions_; }
    // As given to note.
    std::span<const double> tolerance(const ParticleSet& particles) const;

  private:
    std::string positions_, tolerance_;
};

}  // namespace trellis
