// A simulation: particles, forces, and the step. Read this first; step() is the whole algorithm on one page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/run/force_error.hpp"

namespace trellis {

class Simulation {
  public:
    // timestep > 0, in the time unit of the particles. Throws InputError otherwise.
    // The forces are computed before the first step, unless resume says that the particles have them.
    Simulation(std::shared_ptr<ParticleSet> particles, double timestep);

    // Forces act together: their results are added.
    void add_force(std::shared_ptr<Force> force);

    // Goes on from a checkpoint: the particles' accelerations belong to this time.
    void resume(double time, std::uint64_t step_count);

    // One time step: half a kick, a drift, the forces, half a kick. If the forces fail, nothing but the forces is left to be done,
    // and the next call does that.
    void step();
    // Steps until time >= end, up to rounding.
    void run_until(double end);

    // Makes acceleration and potential those of the present positions; trees and lists are made anew.
    void compute_forces();
    // The same, if they are not known already.
    void ensure_forces();

    double time() const { return time_; }
    std::uint64_t step_count() const { return step_count_; }
    double timestep() const { return timestep_; }
    ParticleSet& particles() { return *particles_; }
    const ParticleSet& particles() const { return *particles_; }
    const std::vector<std::shared_ptr<Force>>& forces() const { return forces_; }

    // Of the last step, or since the last reset.
    const Phases& phases() const { return phases_; }
    const Work& work() const { return work_; }

    // Compares the accelerations of count random particles with direct summation.
    ForceError force_error(std::size_t count, std::uint64_t seed);

  private:
    void update_forces(bool may_reuse);
    std::span<const double> previous_accelerations(bool known);
    void clear_results();
    void sort_rows();

    std::shared_ptr<ParticleSet> particles_;
    std::vector<std::shared_ptr<Force>> forces_;
    double timestep_;
    double time_ = 0;
    std::uint64_t step_count_ = 0;
    bool forces_known_ = false;
    bool results_lost_ = false;    // a force failed after the results had been cleared
    bool forces_pending_ = false;  // a step waits for its forces, since they could not be computed
    Phases phases_;
    Work work_;
    std::vector<double> previous_;  // magnitude of each row's last acceleration
};

}  // namespace trellis
