// A subset of the particles as a set of its own, with copies of all columns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

class ParticleSubset {
  public:
    // Chooses rows of `all`, rising. True if these replace others; unchanged rows keep their values and arrangement.
    bool choose(const ParticleSet& all, std::vector<std::uint32_t> rows);

    // Copies the region, and the values of all columns or of one, from the chosen rows of `all`.
    void gather(const ParticleSet& all);
    void gather(const ParticleSet& all, const std::string& column);
    // Copies the values of a column back.
    void scatter(const std::string& column, ParticleSet& all) const;

    ParticleSet& particles() { return particles_; }
    const ParticleSet& particles() const { return particles_; }
    // The rows of particles(), in the set of all.
    std::span<const std::uint32_t> rows() const { return rows_; }

  private:
    ParticleSet particles_{0};
    std::vector<std::uint32_t> rows_;
    std::uint64_t arrangement_ = 0;  // of all particles, when the rows were chosen
};

}  // namespace trellis
