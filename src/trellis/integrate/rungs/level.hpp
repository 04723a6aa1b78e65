// A level of individual time steps: the particles of its rung and of all deeper ones. All of them act on each other in
// it, or some: a particle that needs shorter steps for forces at particles' own steps alone acts in fewer levels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trellis/base/vec.hpp"
#include "trellis/integrate/rungs/level_forces.hpp"
#include "trellis/particles/particle_subset.hpp"

namespace trellis {

class Level {
  public:
    // Chooses the rows of `all` that belong to the level, and those of them that act on each other, both rising. acts:
    // if any do, on any rank. True if forces among them must be computed: those known are not of these rows, or not of
    // the present positions.
    bool choose(const ParticleSet& all, std::vector<std::uint32_t> rows, std::vector<std::uint32_t> acting, bool acts);
    // Forces among the particles that act are not known from now on.
    void forget() { known_ = false; }

    // Computes the forces among the particles that act, at the present positions. Collective.
    void compute(const ParticleSet& all, LevelForces& forces, double time);
    // Makes the results of the level those that were computed. own_steps: with those of forces at particles' own steps.
    void collect(const ParticleSet& all, const LevelForces& forces, bool own_steps);
    // Notes what the other levels add to the whole results in `all`, which are those of the present time.
    void note_others(const ParticleSet& all);
    // Makes the results in `all` those of the level and what was noted of others.
    void update(ParticleSet& all) const;
    // The part of the other levels in the acceleration of a particle that acts in this one.
    struct Pull {
        double allowed;       // the step that forces would allow it if they alone acted
        double acceleration;  // magnitude
    };
    // The pull on each particle that acts. scale: see LevelForces::allowed_steps. without: a level of all rows, whose
    // own others are left out; null: none are.
    std::vector<Pull> pulls_by_others(const LevelForces& forces, double time, double scale, const Level* without);
    // velocity += time * acceleration, and all other kicks, by the forces of the level; motion of fixed particles
    // stays.
    void kick(ParticleSet& all, std::span<const Evolution> kicks, double time) const;
    // sums += factor * acceleration, by the forces of the level, but for fixed particles; sums: of each row of all.
    void add_accelerations(const ParticleSet& all, double factor, std::span<Vec3<double>> sums) const;
    // Kicks by the forces that the particles would have if each row of all particles were displaced by this. The forces
    // of the level stay those of the present positions. time: of these; kick: the time of the kick.
    void kick_displaced(ParticleSet& all, std::span<const Vec3<double>> displacements, LevelForces& forces, double time,
                        double kick);

    // The results of the level, row after row, for one of each rows().
    std::vector<double> values() const;
    // Makes these its results, after its rows of `all` were replaced. All of its particles act on each other.
    void set_values(const ParticleSet& all, std::span<const double> values);

    // Its size over all ranks, when its rows were chosen last.
    const LevelSize& size() const { return size_; }
    void set_size(const LevelSize& size) { size_ = size; }
    std::span<const std::uint32_t> rows() const { return rows_; }
    // The rows that act on each other.
    std::span<const std::uint32_t> acting() const { return particles_.rows(); }

  private:
    // A result, for each row and component: what the level gives, and what others add.
    struct Result {
        std::string name;
        std::size_t components;
        std::vector<double> values, others;
    };

    const Result& result(std::string_view name) const;

    LevelSize size_;
    std::vector<std::uint32_t> rows_;
    ParticleSubset particles_;            // that act on each other
    std::vector<std::uint32_t> indices_;  // of these, in rows_
    std::vector<Result> results_;
    std::vector<double> previous_;  // of those that act: see LevelForces::compute
    bool acts_ = false, known_ = false;
};

}  // namespace trellis
