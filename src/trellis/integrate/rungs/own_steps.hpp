// Forces that act on a particle at the ends of its own steps, from all others: such as those of a gas.
//
// Where some particles end their steps, the state of all is predicted to that time: positions and quantities that
// evolve by the kick at the beginning of each particle's step, velocities by its whole acceleration there. Each
// particle is kicked by these forces as by a leapfrog of its own steps (Springel 2005).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>
#include "trellis/base/vec.hpp"
#include "trellis/integrate/rungs/level_forces.hpp"
#include "trellis/integrate/step_clock.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

class OwnSteps {
  public:
    // A quantity that is kicked, by the names of columns: the value, its rate by all forces, and the part of that by
    // forces at particles' own steps.
    struct Kick {
        std::string value, rate, own_rate;
    };

    // kicks: velocity first. Adds a column for each, which holds the values while predicted ones are in their place.
    OwnSteps(ParticleSet& particles, std::vector<Kick> kicks);

    // A longest step begins: all particles have its time, and are not kicked yet.
    void begin(const ParticleSet& particles);
    // The forces on `rows`, all particles that end a step at this share of the longest one. At its end, a share of 1,
    // the state is predicted alone: see exchange. Collective.
    void compute(ParticleSet& particles, std::span<const std::uint32_t> rows, double share, const StepClock& clock,
                 LevelForces& forces);
    // Exchanges the values of what is kicked with those predicted last.
    void exchange(ParticleSet& particles);

    // Before and after a level has new forces at the end of its step, of this rung: its rows are kicked by `time`.
    void before_kick(const ParticleSet& particles, std::span<const std::uint32_t> rows, unsigned rung, double time);
    void after_kick(const ParticleSet& particles, std::span<const std::uint32_t> rows, double time);

    // The longest step ends, with a kick of all particles as if it were the step of each: makes that by these forces
    // the kick of each particle's step.
    void end(ParticleSet& particles, const StepClock& clock) const;

    // The times of the forces that are computed at the end of the longest step.
    RungTimes times_at_end(const StepClock& clock) const;

  private:
    void predict(ParticleSet& particles, double share, double length);
    void restore(ParticleSet& particles) const;

    std::vector<Kick> kicks_;
    std::vector<std::string> held_;               // the columns that hold the values of kicks_
    std::vector<Vec3<double>> begun_velocities_;  // of each row at the beginning of its step, whatever kicks it
    std::vector<Vec3<double>> positions_;         // at the ends of steps, while predicted ones are in their place
    double share_ = 0;                            // where forces were computed last
};

}  // namespace trellis
