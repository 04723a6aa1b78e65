// A level of individual time steps: the particles of its rung and of all deeper ones, which act on each other alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/base/vec.hpp"
#include "trellis/integrate/rungs/level_forces.hpp"
#include "trellis/particles/particle_subset.hpp"

namespace trellis {

class Level {
  public:
    // Chooses the rows of `all`, rising, that belong to the level; true if they are others than before, or the forces
    // of the level are not those of the present positions.
    bool choose(const ParticleSet& all, std::vector<std::uint32_t> rows);
    // The next choice counts as another one.
    void forget() { known_ = false; }

    // Computes the forces of the level at the present positions.
    void compute(const ParticleSet& all, LevelForces& forces, double time);
    // Notes what the other levels add to the whole accelerations in `all`, which are those of the present time.
    void note_others(const ParticleSet& all);
    // Makes the accelerations in `all` those of the level and what was noted of others.
    void update(ParticleSet& all) const;
    // velocity += time * acceleration, by the forces of the level.
    void kick(ParticleSet& all, double time) const;

    std::span<const std::uint32_t> rows() const { return particles_.rows(); }

  private:
    ParticleSubset particles_;
    std::vector<Vec3<double>> others_;  // of each particle of the level
    std::vector<double> previous_;      // magnitude of the whole acceleration
    bool known_ = false;                // the forces
};

}  // namespace trellis
