// A level of individual time steps: the particles of its rung and of all deeper ones, which act on each other alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trellis/base/vec.hpp"
#include "trellis/integrate/rungs/level_forces.hpp"
#include "trellis/particles/particle_subset.hpp"
#include "trellis/particles/saved_columns.hpp"

namespace trellis {

class Level {
  public:
    // Chooses the rows of `all`, rising, that belong to the level; true if they are others than before, or the forces
    // of the level are not those of the present positions.
    bool choose(const ParticleSet& all, std::vector<std::uint32_t> rows, const LevelForces& forces);
    // The next choice counts as another one.
    void forget() { known_ = false; }

    // Computes the forces of the level at the present positions. own_steps: with those at particles' own steps, which
    // are known.
    void compute(const ParticleSet& all, LevelForces& forces, double time, bool own_steps);
    // Notes what the other levels add to the whole results in `all`, which are those of the present time.
    void note_others(const ParticleSet& all, std::span<const std::string> results);
    // Makes the results in `all` those of the level and what was noted of others.
    void update(ParticleSet& all) const;
    // The shortest step that forces would allow a particle of this level if the other levels alone acted on it;
    // infinite without particles. scale: see LevelForces::allowed_steps.
    double step_by_others(const LevelForces& forces, double time, double scale);
    // velocity += time * acceleration, and all other kicks, by the forces of the level.
    void kick(ParticleSet& all, std::span<const Evolution> kicks, double time) const;
    // sums += factor * acceleration, by the forces of the level; sums: of each row of all particles.
    void add_accelerations(double factor, std::span<Vec3<double>> sums) const;
    // Kicks by the forces that the particles would have if each row of all particles were displaced by this. The forces
    // of the level stay those of the present positions. time: of these; kick: the time of the kick.
    void kick_displaced(ParticleSet& all, std::span<const Vec3<double>> displacements, LevelForces& forces, double time,
                        double kick);

    std::span<const std::uint32_t> rows() const { return particles_.rows(); }

  private:
    // The part of a result that other levels add, for each particle and component.
    struct Others {
        std::string result;
        std::vector<double> values;
    };

    ParticleSubset particles_;
    std::vector<Others> others_;
    SavedColumns own_results_;      // while they are those of displaced particles
    std::vector<double> previous_;  // magnitude of the whole acceleration
    bool known_ = false;            // the forces
};

}  // namespace trellis
