// A simulation: particles, forces, and the step. Read this first; step() is the whole algorithm on one page.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/integrate/comoving/expansion.hpp"
#include "trellis/integrate/step_factors.hpp"
#include "trellis/integrate/step_length.hpp"
#include "trellis/integrate/thermostat.hpp"
#include "trellis/particles/saved_columns.hpp"
#include "trellis/ranks/comm/deferred_reduction.hpp"
#include "trellis/run/all_forces.hpp"
#include "trellis/run/domains.hpp"
#include "trellis/run/force_error.hpp"
#include "trellis/run/spares.hpp"

namespace trellis {

class Simulation {
  public:
    // timestep: the length of all steps, above 0, in the time unit of the particles. Throws InputError otherwise. None:
    // each step is as long as the forces allow when it begins (Force::longest_step), and not much longer than the one
    // before. The forces are computed before the first step, unless resume says that the particles have them. comm: the
    // ranks that share the run, by default all that there are. Particles may begin on any of them, each on one; from
    // the first forces on they are where their domain is. All ranks make the same calls.
    Simulation(std::shared_ptr<ParticleSet> particles, std::optional<double> timestep,
               std::shared_ptr<Comm> comm = world());

    // Forces act together: their results are added. Throws InputError if what a force makes evolve does not fit its
    // rate.
    void add_force(std::shared_ptr<Force> force);

    // The thermostat acts for half a step at the beginning of each step, and for half a step at its end. Null: none.
    // Throws InputError in expanding space.
    void set_thermostat(std::shared_ptr<Thermostat> thermostat);

    // Space expands: time, here and in all calls, is the scale factor, which set_time sets above 0; positions are
    // comoving, velocity is the canonical momentum p = a^2 dx/dt of a unit of mass, and forces are those of G m / x^2
    // without a. In open space one of them is external::MeanDensity. Steps are as the expansion has them. Throws
    // InputError if a timestep is given, or something makes other quantities than velocities evolve.
    void set_expansion(const Expansion& expansion);
    // Expansion::work() of all steps; 0 where space does not expand. Collective.
    double expansion_work();

    // keep: a rank alone leaves the rows of the particles in their order. Otherwise, as at first, rows near in space
    // are brought near in memory from time to time, which makes large sets faster. The forces have the same bits,
    // unless rows decide the order of particles in a tree: of those that share a key, or, for forces of short range, a
    // coordinate.
    void keep_order(bool keep) { keep_order_ = keep; }

    // Devices that take the place of those that fail, in this order: the step is repeated, at once and on all ranks,
    // with the same bits on a device of the same kind. Without any, or when all are taken, a failure is thrown.
    void set_spares(std::vector<std::string> names, std::size_t memory = 0,
                    std::chrono::milliseconds grace = usual_grace) {
        set_spares(std::make_shared<SpareDevices>(std::move(names), memory, grace));
    }
    // The same with devices that decide about pairs as well (devices/redundant/device_pairs.hpp).
    void set_spares(std::shared_ptr<SpareDevices> spares) { spares_.set(std::move(spares)); }
    // One sentence for each device that was replaced, or was no spare, since the last call, on this rank.
    std::vector<std::string> take_device_notes() { return spares_.take_notes(); }

    // Sets the time of the particles, before the first step; 0 if it is not set.
    void set_time(double time) { time_ = time; }
    // Goes on from a checkpoint, with the forces and the thermostat that there were: the particles' accelerations
    // belong to this time. domains: domain_state() of this rank at the checkpoint; if it is empty, or of another number
    // of ranks, particles are distributed again. thermostat: thermostat_state() at the checkpoint; if it is empty, the
    // thermostat starts afresh. step_allowed: step_allowed() at the checkpoint, where steps are chosen.
    void resume(double time, std::uint64_t step_count, const DomainState& domains = {},
                std::span<const double> thermostat = {}, double step_allowed = unlimited);

    // One time step: half a kick, a drift, the forces, half a kick; between two halves of the thermostat. If the forces
    // fail, the next call does only what is left, the forces and what comes after them, with the bits of a step that
    // did not fail (if memory ran out, only where Force::may_fail_after_writing). On several ranks that is so for
    // devices: if one fails, all ranks throw a DeviceError, and all repeat the step; after any other error the run
    // ends. end > time: the step does not go beyond it, and the last of several meets it exactly; a fixed step is
    // shorter then. Throws InputError if a step is to be chosen and no force limits it, RunError if the limit is too
    // short for the time to move on.
    void step(double end = unlimited);
    // True if the time has come to this end, up to a thousandth of a step.
    bool reached(double end) const { return trellis::reached(time_, timestep(), end); }
    // Steps until the end is reached. exact: it is met; else the last of fixed steps is as long as the others, and may
    // go beyond it.
    void run_until(double end, bool exact = true);
    void run_steps(std::uint64_t count);

    // Makes acceleration and potential those of the present positions; trees and lists are rebuilt.
    void compute_forces();
    // Computes the forces, if they are not known already.
    void ensure_forces();

    double time() const { return time_; }
    std::uint64_t step_count() const { return step_count_; }
    // The length of all steps; if steps are chosen, or space expands, of the last one: 0 before the first.
    double timestep() const { return fixed_timestep_.value_or(timestep_); }
    // The length that the forces allowed the last chosen step, which may have been shorter to meet an end; infinite
    // before the first. In expanding space, of any step, and in ln a.
    double step_allowed() const { return step_allowed_; }
    ParticleSet& particles() { return *particles_; }
    const ParticleSet& particles() const { return *particles_; }
    const std::vector<std::shared_ptr<Force>>& forces() const { return forces_.forces(); }

    // Times and work of the last step, or since the last reset.
    const Phases& phases() const { return phases_; }
    const Work& work() const { return forces_.work(); }  // of this rank
    const Work& total_work() const { return forces_.total_work(); }

    Comm& comm() const { return domains_.comm(); }
    // The division of space, as a checkpoint keeps it; empty for a rank alone.
    DomainState domain_state() const { return domains_.state(); }

    // The energy of the thermostat's bath; 0 without a thermostat.
    double bath_energy() const { return thermostat_ ? thermostat_->bath_energy() : 0; }
    // The thermostat's state, as a checkpoint keeps it; empty without a thermostat.
    std::vector<double> thermostat_state() const { return thermostat_ ? thermostat_->state() : std::vector<double>{}; }

    // Compares the accelerations of count random particles with direct summation; of all ranks together.
    ForceError force_error(std::size_t count, std::uint64_t seed);

  private:
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    // The forces in the columns of the particles.
    enum class Forces {
        unknown,  // nothing of use
        known,    // those of the present positions
        awaited   // those of the last step, or of the start: the step under way has moved the particles
    };

    // Sums m p^2 / 2 at the begin and the end of a step.
    struct Kinetic {
        double begin, end;

        static Kinetic joined(const Kinetic& a, const Kinetic& b) { return {a.begin + b.begin, a.end + b.end}; }
    };

    void choose_length(double end);
    double allowed_step() const;
    StepLength next_step(double allowed, double end) const;
    void kick_and_drift();
    void kick_to_end();
    void note_kinetic_energies();
    void settle_expansion_work();
    void hold_temperature(std::uint64_t calls);
    void kick_all(double time);
    void update_forces(const ForceStep& step);
    void try_forces(ForceStep step);
    void compute_all(const ForceStep& step);
    bool forces_fail_midway() const;
    bool arrange_rows(bool may_reuse);
    std::span<const double> previous_accelerations(bool known);
    void forget_potentials();
    void wrap_positions();
    void sort_rows();

    std::shared_ptr<ParticleSet> particles_;
    Domains domains_;
    AllForces forces_;
    Spares spares_;
    std::vector<Evolution> evolutions_;       // of all forces, each once
    std::shared_ptr<Thermostat> thermostat_;  // null: none
    std::optional<Expansion> expansion_;      // none: space does not expand
    bool keep_order_ = false;
    std::optional<double> fixed_timestep_;  // none: steps are chosen
    double timestep_ = 0;                   // of the last step, or the one under way
    double step_allowed_ = unlimited;
    double time_ = 0;
    double step_end_ = 0;          // of the step under way
    StepFactors factors_;          // of the step under way
    double kinetic_at_begin_ = 0;  // of the step under way, sum m p^2 / 2 of this rank, where space expands
    DeferredReduction<Kinetic> kinetic_of_all_{&Kinetic::joined};  // of step_to_settle_, where space expands
    StepLength step_to_settle_{};
    std::uint64_t step_count_ = 0;
    Forces forces_are_ = Forces::unknown;
    std::optional<bool> rearranged_;  // after a failure of the forces: true if rows have moved
    Phases phases_;
    SavedColumns before_forces_;    // results and what else forces carry from step to step
    std::vector<double> previous_;  // magnitude of each row's last acceleration
};

}  // namespace trellis
