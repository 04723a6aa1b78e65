// The forces among particles of short steps, and the ranks that share them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "trellis/integrate/rungs/level_choice.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

class LevelForces {
  public:
    LevelForces() = default;
    LevelForces(const LevelForces&) = delete;
    LevelForces& operator=(const LevelForces&) = delete;
    virtual ~LevelForces() = default;

    // The names of the columns that compute makes, accelerations among them.
    virtual std::span<const std::string> results() const = 0;

    // Makes the results in `level` those of its particles on each other, of all ranks; collective. previous: the
    // magnitude of each particle's whole acceleration, to which the accuracy of the forces refers.
    virtual void compute(ParticleSet& level, std::span<const double> previous, double time) = 0;

    // Lowers steps[k] to the longest step that forces allow the particle in row rows[k] of all particles at `time`.
    virtual void allowed_steps(const ParticleSet& all, double time, std::span<const std::uint32_t> rows,
                               std::span<double> steps) const = 0;

    // Makes each value the sum of those of all ranks; collective.
    virtual void add_over_ranks(RungCounts& counts) = 0;

    // The largest value of all ranks; collective.
    virtual double largest_on_ranks(double here) = 0;

    // True on all ranks if it is true on one; collective.
    virtual bool on_any_rank(bool here) = 0;
};

}  // namespace trellis
