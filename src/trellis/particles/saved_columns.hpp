// Copies of some columns, to put back what a failure has left half done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

class SavedColumns {
  public:
    // Adds the column of this name to those that are saved.
    void add(const std::string& name);

    void save(const ParticleSet& particles);
    // The columns become what they were when they were saved. In between, rows must have stayed where they were.
    void restore(ParticleSet& particles) const;

  private:
    struct Copy {
        std::string name;
        std::vector<std::uint64_t> values;
    };
    std::vector<Copy> copies_;
};

}  // namespace trellis
