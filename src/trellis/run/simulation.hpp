// A simulation: particles, forces, and the step. Read this first; step() is the whole algorithm on one page.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/integrate/barostats/volume_moves.hpp"
#include "trellis/integrate/comoving/expansion.hpp"
#include "trellis/integrate/comoving/expansion_work.hpp"
#include "trellis/integrate/rungs/hierarchical_steps.hpp"
#include "trellis/integrate/step_clock.hpp"
#include "trellis/integrate/stepper.hpp"
#include "trellis/integrate/thermostats/thermostat.hpp"
#include "trellis/particles/saved_columns.hpp"
#include "trellis/ranks/comm/deferred_reduction.hpp"
#include "trellis/run/domains.hpp"
#include "trellis/run/force_input.hpp"
#include "trellis/run/measures/force_error.hpp"
#include "trellis/run/own_results.hpp"
#include "trellis/run/step_forces.hpp"

namespace trellis {

// See Stepper for the members that are not described here.
//
// What forces read of the particles (Force::reads), and their region, may be changed between two steps: the forces are
// then computed again before the next step, as by a new simulation. On several ranks a change on one of them suffices;
// over several sites it is an InputError unless all ranks call forces_changed().
class Simulation final : public Stepper {
  public:
    // timestep: the length of all steps, above 0, in the time unit of the particles; if it is empty, each step is as
    // long as the forces allow when it begins (StepClock). Throws InputError for a timestep out of range. The forces
    // are computed before the first step, unless resume says that the particles have them. comm: the ranks that share
    // the run, by default all that there are. Particles may begin on any of them, each on one; from the first forces on
    // they are on the rank of their domain. All ranks make the same calls.
    Simulation(std::shared_ptr<ParticleSet> particles, std::optional<double> timestep,
               std::shared_ptr<Comm> comm = world());

    // Adds a force; the results of all forces are summed. Throws InputError if it has been added before, or if a
    // quantity that it makes evolve does not fit its rate.
    void add_force(std::shared_ptr<Force> force);

    // The thermostat acts for half a step at the beginning of each step, and for half a step at its end; null for no
    // thermostat. Throws InputError in expanding space, and for particles that it cannot keep at a temperature.
    // Collective.
    void set_thermostat(std::shared_ptr<Thermostat> thermostat);

    // After each barostat.every steps a move of the volume is tried, at the temperature of the thermostat, when the
    // next step begins: all positions and the box are scaled about the origin. Throws InputError without a thermostat,
    // in a box that is not periodic along all axes, if particles are fixed, with individual steps, if several sites
    // share the run, and for forces that give no potential. Collective.
    void set_barostat(const Barostat& barostat);

    // Space expands: time, here and in all calls, is the scale factor, which set_time sets above 0; positions are
    // comoving, velocity is the canonical momentum p = a^2 dx/dt of a unit of mass, and forces are those of G m / x^2
    // without a. In open space one of them is external::MeanDensity. The expansion determines the steps. work:
    // expansion_work() at a checkpoint. Throws InputError if a timestep is given, if particles are fixed, or if another
    // quantity than velocity evolves.
    void set_expansion(const Expansion& expansion, double work = 0);

    // Each particle has a step of its own, the timestep (or the step in ln a) over a power of two (integrate/rungs); a
    // step of the simulation is the longest one, at whose end all particles have the same time. eta: see
    // HierarchicalSteps. order: 2, or 4 for forces that are sums over pairs, in open space that does not expand. Over
    // several sites the particles of each act on each other in steps of their own, those of different sites once in
    // each longest step. Throws InputError if steps are chosen, a force makes a quantity evolve that cannot be computed
    // for some particles alone (Force::computes_active_rows), or order 4 does not go with a force or with space; over
    // several sites also for order 4, and for forces at particles' own steps, such as those of a gas. Collective.
    void set_individual_steps(double eta, unsigned order = 2);
    // asked: called on each rank many times within each step of individual steps; when it returns true on one, all
    // ranks throw StepAbandoned out of step(), and all is as it was before. Empty: none is abandoned, nor is any over
    // several sites.
    void abandon_steps_when(std::function<bool()> asked) { abandoned_ = std::move(asked); }
    // The rungs of the particles of this rank in the last step; null if all have the same step.
    const RungUse* rung_use() const { return rungs_ ? &rungs_->use() : nullptr; }

    // keep: a rank alone leaves the rows of the particles in their order. Otherwise, as at first, rows near in space
    // are brought near in memory from time to time, which makes large sets faster. The forces have the same bits,
    // unless rows decide the order of particles in a tree: of those that share a key, or, for forces of short range, a
    // coordinate.
    void keep_order(bool keep) { forces_.rows().keep(keep); }

    // Devices that replace those that fail, in this order: the step is repeated, at once and on all ranks, with the
    // same bits on a device of the same kind. Without any, or when all are taken, a failure is thrown.
    void set_spares(std::vector<std::string> names, std::size_t memory = 0,
                    std::chrono::milliseconds grace = usual_grace) {
        set_spares(std::make_shared<SpareDevices>(std::move(names), memory, grace));
    }
    // The same with devices that also decide between the results of pairs (devices/redundant/device_pairs.hpp).
    // replaced: devices that have failed before, in a simulation that this one goes on from.
    void set_spares(std::shared_ptr<SpareDevices> spares, std::vector<std::string> replaced = {}) {
        forces_.spares().set(std::move(spares), std::move(replaced));
    }

    // Sets the time of the particles, before the first step; 0 if it is not set. Before resume: the time at which the
    // run was begun.
    void set_time(double time) { clock_->set_time(time); }
    // Continues from a checkpoint, with the forces and the thermostat of that time: the particles' accelerations belong
    // to `time`. domains: domain_state() of this rank at the checkpoint; if it is empty, or of another number of ranks,
    // particles are distributed again. thermostat: thermostat_state() at the checkpoint; if it is empty, the thermostat
    // starts afresh. step_allowed: step_allowed() at the checkpoint, if steps are chosen. barostat: as thermostat.
    void resume(double time, std::uint64_t step_count, const DomainState& domains = {},
                std::span<const double> thermostat = {}, double step_allowed = unlimited,
                std::span<const double> barostat = {});

    // One time step; the thermostat acts for half of it before, and half after. If the forces fail, the next call does
    // only the rest of the step, the forces and the last half kick, with the bits of a step that did not fail (if
    // memory ran out, only if Force::may_fail_after_writing). If a device fails on one of several ranks, all ranks
    // throw a DeviceError, and all repeat the step; after any other error on several ranks the run ends, and over
    // several sites after a DeviceError within individual steps, which is of one site alone. Throws
    // InputError if a step is to be chosen and no force limits it, or if another simulation has been made of the same
    // particles; RunError if the limit is too short for the time to move on, or the step is too long for any integrator
    // (integrate/step_rule.hpp).
    void step(double end = unlimited) override;
    void compute_forces() override;
    void ensure_forces() override;
    // Forces are computed again before they are next used, since the caller has changed what they depend on: particles,
    // or parameters of a force. Changes of particles are noticed without it.
    void forces_changed() override;
    // The longest step that the forces allow the particles as they are; infinite if none limits it. Collective.
    double longest_step();
    // Takes the particles back from a simulation that was made of them later.
    void claim_particles() { claim_ = particles_->claim(); }

    double time() const override { return clock_->time(); }
    std::uint64_t step_count() const override { return step_count_; }
    double timestep() const override { return clock_->timestep(); }
    bool has_fixed_steps() const override { return clock_->fixed(); }
    // The length that the forces allowed the last chosen step, which may have been shorter to end in time; infinite
    // before the first. In expanding space, of any step, and in ln a.
    double step_allowed() const override { return clock_->allowed(); }
    double expansion_work() override { return expansion_work_ ? expansion_work_->value() : 0; }
    ParticleSet& particles() { return *particles_; }
    const ParticleSet& particles() const { return *particles_; }
    const std::vector<std::shared_ptr<Force>>& forces() const { return forces_.all(); }

    const Phases& phases() override { return phases_; }
    Work work() const override { return Work(forces_.work()) += deeper_work_; }
    Work total_work() const override { return Work(forces_.total_work()) += deeper_total_work_; }
    std::vector<std::string> take_device_notes() override { return forces_.spares().take_notes(); }
    // The names of the devices of this rank that have failed, and were replaced.
    const std::vector<std::string>& replaced_devices() { return forces_.spares().replaced(); }

    Comm& comm() const { return domains_.comm(); }
    // Empty for a rank alone.
    DomainState domain_state() const override { return domains_.state(); }
    double bath_energy() const override {
        return (thermostat_ ? thermostat_->bath_energy() : 0) + (barostat_ ? barostat_->energy() : 0);
    }
    std::vector<double> thermostat_state() const override {
        return thermostat_ ? thermostat_->state() : std::vector<double>{};
    }
    std::vector<double> barostat_state() const override {
        return barostat_ ? barostat_->state() : std::vector<double>{};
    }

    // Compares the accelerations of count random particles, from all ranks, with direct summation.
    ForceError force_error(std::size_t count, std::uint64_t seed);

  private:
    // The forces in the columns of the particles.
    enum class Forces {
        unknown,  // no forces, or forces at other positions
        known,    // forces at the present positions
        awaited   // forces before the step under way, which has moved the particles
    };

    bool input_changed() const;
    void check_claim() const;
    void choose_length(double end);
    double allowed_step_now() const;
    void prepare_own_steps();
    void find_domains();
    void move_volume();
    void kick_and_drift();
    void advance_individually(HierarchicalSteps& rungs);
    bool advance_by(HierarchicalSteps& rungs);
    ForceStep end_of_step() const;
    ForceStep first_forces() const;
    void check_accelerations();
    void update_forces(const ForceStep& step);
    void kick_to_end();
    void hold_temperature(std::uint64_t calls);
    void kick_outer(double half_kick);
    void kick_evolutions(double time);

    std::shared_ptr<ParticleSet> particles_;
    Domains domains_;
    std::uint64_t claim_;
    StepForces forces_;
    ForceInput input_;                                        // at the end of the last step
    double range_ = std::numeric_limits<double>::infinity();  // the shortest of all forces
    std::vector<Evolution> evolutions_;                       // each once, whichever forces need it
    std::shared_ptr<Thermostat> thermostat_;                  // may be null
    std::optional<VolumeMoves> barostat_;                     // empty if the box does not change
    std::optional<HierarchicalSteps> rungs_;                  // empty if all particles have the same step
    std::optional<OwnSteps> own_steps_;                       // with rungs_, if forces act at particles' own steps
    std::shared_ptr<OwnResults> own_results_ = std::make_shared<OwnResults>();  // of these forces
    SavedColumns before_step_;              // what a step that fails, with rungs_, or a move of the volume has changed
    SavedColumns after_bath_;               // the velocities that a thermostat has left at the beginning of such a step
    Work deeper_work_, deeper_total_work_;  // of the levels below all particles, in the last step
    DeferredReduction<Work> work_of_ranks_{[](Work a, const Work& b) { return a += b; }};  // of levels: late over sites
    std::function<bool()> abandoned_;                                                      // may be empty
    std::unique_ptr<StepClock> clock_;
    std::optional<ExpansionWork> expansion_work_;  // empty if space does not expand
    std::uint64_t step_count_ = 0;
    double checked_length_ = 0;  // of a step that the present accelerations allow; 0: they are unchecked
    Forces forces_are_ = Forces::unknown;
    Phases phases_;
};

}  // namespace trellis
