// A simulation: particles, forces, and the step. Read this first; step() is the whole algorithm on one page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/integrate/thermostat.hpp"
#include "trellis/run/domains.hpp"
#include "trellis/run/force_error.hpp"

namespace trellis {

class Simulation {
  public:
    // timestep > 0, in the time unit of the particles: that of all steps. Throws InputError otherwise.
    // None: each step is as long as the forces allow when it begins (Force::longest_step), and not much longer than the one before.
    // The forces are computed before the first step, unless resume says that the particles have them.
    // comm: the ranks that share the run, by default all that there are. Particles may begin on any of them, each on one; from the first
    // forces on they are where their domain is. All ranks make the same calls.
    Simulation(std::shared_ptr<ParticleSet> particles, std::optional<double> timestep,
               std::shared_ptr<Comm> comm = world());

    // Forces act together: their results are added. Throws InputError if what a force makes evolve does not fit its rate.
    void add_force(std::shared_ptr<Force> force);

    // Acts for half a step at the beginning of each step, and for half a step at its end. Null: none.
    void set_thermostat(std::shared_ptr<Thermostat> thermostat) { thermostat_ = std::move(thermostat); }

    // Goes on from a checkpoint, with the forces and the thermostat of then: the particles' accelerations belong to this time. domains: what
    // domain_state() was on this rank, if there are as many ranks as then; with another number of ranks, or none of it, particles are
    // distributed anew. thermostat: what thermostat_state() was; with none of it, the thermostat begins anew. step_allowed: what it was,
    // where steps are chosen.
    void resume(double time, std::uint64_t step_count, const DomainState& domains = {},
                std::span<const double> thermostat = {}, double step_allowed = unlimited);

    // One time step: half a kick, a drift, the forces, half a kick; between two halves of the thermostat. If the forces fail, nothing but the
    // forces, and what comes after them, is left to be done, and the next call does that. On several ranks, which may fail at different
    // places, a step that failed cannot be repeated.
    // end > time: where steps are chosen, this one does not go beyond it, and the last of several meets it exactly. Throws InputError if a
    // step is to be chosen and no force limits it, RunError if the limit is too short for the time to move on.
    void step(double end = unlimited);
    // Whether the time has come to this one, up to a thousandth of a step: times that are added up are rounded.
    bool reached(double end) const { return time_ >= end - 1e-3 * timestep_; }
    void run_until(double end);

    // Makes acceleration and potential those of the present positions; trees and lists are made anew.
    void compute_forces();
    // The same, if they are not known already.
    void ensure_forces();

    double time() const { return time_; }
    std::uint64_t step_count() const { return step_count_; }
    double timestep() const { return timestep_; }  // of the last step, if steps are chosen; 0 before the first
    // What the forces allowed the last step that was chosen, which may have been shorter to meet an end; infinite before the first.
    double step_allowed() const { return step_allowed_; }
    ParticleSet& particles() { return *particles_; }
    const ParticleSet& particles() const { return *particles_; }
    const std::vector<std::shared_ptr<Force>>& forces() const { return forces_; }

    // Of the last step, or since the last reset.
    const Phases& phases() const { return phases_; }
    const Work& work() const { return work_; }  // of this rank
    const Work& total_work() const { return total_work_; }

    Comm& comm() const { return domains_.comm(); }
    // What a checkpoint keeps of how space is divided; empty for a rank alone.
    DomainState domain_state() const { return domains_.state(); }

    // What the thermostat has of energy; 0 without one.
    double bath_energy() const { return thermostat_ ? thermostat_->bath_energy() : 0; }
    // What a checkpoint keeps of the thermostat; empty without one.
    std::vector<double> thermostat_state() const { return thermostat_ ? thermostat_->state() : std::vector<double>{}; }

    // Compares the accelerations of count random particles with direct summation; of all ranks together.
    ForceError force_error(std::size_t count, std::uint64_t seed);

  private:
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    void begin_step(double end);
    double allowed_step() const;
    void hold_temperature(std::uint64_t calls);
    void kick_all(double time);
    void update_forces(ForceStep step);
    void add_forces(const ForceStep& step);
    bool arrange_rows();
    std::span<const double> previous_accelerations(bool known);
    void clear_results();
    void wrap_positions();
    void sort_rows();

    std::shared_ptr<ParticleSet> particles_;
    Domains domains_;
    std::vector<std::shared_ptr<Force>> forces_;
    std::vector<Evolution> evolutions_;       // of all forces, each once
    std::shared_ptr<Thermostat> thermostat_;  // null: none
    bool chooses_steps_;
    double timestep_;
    double step_allowed_ = unlimited;
    double time_ = 0;
    double step_end_ = 0;  // of the step under way
    std::uint64_t step_count_ = 0;
    bool forces_known_ = false;
    bool results_lost_ = false;    // a force failed after the results had been cleared
    bool forces_pending_ = false;  // a step waits for its forces, since they could not be computed
    Phases phases_;
    Work work_, total_work_;
    std::vector<double> previous_;  // magnitude of each row's last acceleration
};

}  // namespace trellis
