// Copies of columns, to undo a computation that failed midway.
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
    // Restores the values of the last save; rows must not have been reordered or replaced since.
    void restore(ParticleSet& particles) const;

  private:
    struct Copy {
        std::string name;
        std::vector<std::uint64_t> values;
    };
    std::vector<Copy> copies_;
};

}  // namespace trellis
