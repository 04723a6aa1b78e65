// Columns of the particles from which the lists of an earlier step are rebuilt, so that a checkpoint holds them: a
// resumed run then reuses the same lists as an unbroken run, bit for bit.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// The use of tree and lists in the steps that follow.
enum class Lists {
    rebuild,  // rebuilt at each step
    reuse     // kept over steps, while they are still valid (paper, section 4.2: method G3)
};

class ListCheckpoint {
  public:
    // Adds the columns for force `number`, where they are missing. limit: the quantity that decides, beside positions,
    // which particles are on a list; the number is appended to its name. Names that begin with _ stay out of snapshots.
    void attach(ParticleSet& particles, std::size_t number, const FieldInfo& limit);
    // The same for lists that no other quantity decides, with another name for their positions.
    void attach(ParticleSet& particles, std::size_t number, const std::string& positions);

    // Notes the present positions, and the limits with which lists are made: one for each row, or none.
    void note(ParticleSet& particles, std::span<const double> limits);

    // Notes that there are no lists.
    void note_none(ParticleSet& particles);

    // True if lists have been noted.
    bool noted(const ParticleSet& particles) const;

    const std::string& positions() const { return positions_; }
    // The limits as given to note.
    std::span<const double> limits(const ParticleSet& particles) const;
    // The names of the columns; empty before attach.
    std::vector<std::string> columns() const;

  private:
    std::string positions_, limits_;
};

}  // namespace trellis
