#include "trellis/run/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/allowed_steps.hpp"
#include "trellis/integrate/barostats/scaled_box.hpp"
#include "trellis/integrate/comoving/comoving_clock.hpp"
#include "trellis/integrate/leapfrog.hpp"
#include "trellis/integrate/step_too_long.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/run/combinations.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/rung_forces.hpp"

namespace trellis {

using namespace fields;

namespace {

template <class T>
std::shared_ptr<T> given(std::shared_ptr<T> argument, const char* name) {
    if (argument == nullptr) throw InputError(std::string(name) + " is a null pointer");
    return argument;
}

}  // namespace

Simulation::Simulation(std::shared_ptr<ParticleSet> particles, std::optional<double> timestep,
                       std::shared_ptr<Comm> comm)
    : particles_(given(std::move(particles), "particles")),
      domains_(std::move(comm)),
      claim_(particles_->claim()),
      clock_(std::make_unique<StepClock>(timestep)) {}

void Simulation::add_force(std::shared_ptr<Force> force) {
    if (std::ranges::find(forces(), given(force, "force")) != forces().end())
        throw InputError("a force is added for the second time: allowed is each once, since it keeps its own lists");
    if (rungs_) RungForces::check(*force, rungs_->order(), comm());
    if (barostat_) check_barostat_with(*force);
    if (expansion_work_) check_expansion_with(*force);
    force->attach(*particles_, forces().size());
    for (const Evolution& evolution : force->evolves()) {
        check_evolution(evolution, *particles_, *force);
        if (std::ranges::find(evolutions_, evolution) == evolutions_.end()) evolutions_.push_back(evolution);
    }
    input_.add(*force);
    range_ = std::min(range_, force->range());
    for (const std::string& name : forces_.add(std::move(force), *particles_)) before_step_.add(name);
    if (rungs_) prepare_own_steps();
    forces_are_ = Forces::unknown;
}

void Simulation::set_thermostat(std::shared_ptr<Thermostat> thermostat) {
    check_barostat(!barostat_ || thermostat, without_thermostat);
    if (thermostat && expansion_work_) refuse_thermostat_in_expansion();
    if (thermostat) thermostat->check(*particles_, comm());
    thermostat_ = std::move(thermostat);
}

void Simulation::set_barostat(const Barostat& barostat) {
    check_barostat(thermostat_ != nullptr, without_thermostat);
    check_can_be_scaled(*particles_, comm());
    check_barostat(!rungs_, with_individual_steps);
    check_barostat(!comm().spans_sites(), "several sites share the run: allowed is one");
    for (const auto& force : forces()) check_barostat_with(*force);
    barostat_.emplace(barostat, all_reduce(comm(), static_cast<double>(particles_->size()), std::plus{}));
    before_step_.add(Position::name);
}

void Simulation::set_expansion(const Expansion& expansion, double work) {
    if (clock_->fixed())
        throw InputError("timestep is " + to_text(timestep()) +
                         ", but space expands: allowed are steps of a length in ln a");
    if (thermostat_) refuse_thermostat_in_expansion();
    if (any_rank(comm(), fixed_count(*particles_) > 0))
        throw InputError("particles are fixed, but space expands: allowed is fixed = 0");
    if (rungs_ && rungs_->order() == 4) refuse_order_4_in_expansion();
    for (const auto& force : forces()) check_expansion_with(*force);
    const double now = time();
    clock_ = std::make_unique<ComovingClock>(expansion);
    clock_->set_time(now);
    expansion_work_.emplace(work);
}

void Simulation::set_individual_steps(double eta, unsigned order) {
    if (clock_->limited_by_forces())
        throw InputError("individual time steps are given, but no longest step: allowed is a number above 0");
    if (comm().spans_sites() && order == 4)
        throw InputError("order is 4, but several sites share the run: allowed is order 2");
    check_barostat(!barostat_, with_individual_steps);
    if (expansion_work_ && order == 4) refuse_order_4_in_expansion();
    HierarchicalSteps steps(eta, order);
    for (const auto& force : forces()) RungForces::check(*force, order, comm());
    rungs_ = std::move(steps);
    domains_.part_sites();
    HierarchicalSteps::attach(*particles_);
    for (const char* name : {Position::name, Velocity::name, Rung::name}) before_step_.add(name);
    after_bath_.add(Velocity::name);
    prepare_own_steps();
}

// Adds what forces at particles' own steps need, such as those of a gas.
void Simulation::prepare_own_steps() {
    const auto own = [](const auto& force) { return acts_at_own_steps(*force); };
    if (std::ranges::none_of(forces(), own)) return;
    const auto add = [&](std::span<const FieldInfo> results) {
        own_results_->add(*particles_, results);
        for (const FieldInfo& field : results) before_step_.add(own_result(field.name));
    };
    for (const auto& force : forces() | std::views::filter(own)) add(force->results());
    FieldInfo kicks_velocities = field_info<Acceleration>();  // zero if no force gives one
    kicks_velocities.name = own_result(kicks_velocities.name);
    if (!particles_->has(kicks_velocities.name)) particles_->add(kicks_velocities);
    before_step_.add(kicks_velocities.name);
    std::vector<OwnSteps::Kick> kicks{{Velocity::name, Acceleration::name, own_result(Acceleration::name)}};
    for (const Evolution& evolution : evolutions_) {
        kicks.push_back({evolution.value, evolution.rate, own_result(evolution.rate)});
        before_step_.add(evolution.value);
    }
    own_steps_.emplace(*particles_, std::move(kicks));
    forces_.keep(own_results_);
}

void Simulation::resume(double time, std::uint64_t step_count, const DomainState& domains,
                        std::span<const double> thermostat, double step_allowed, std::span<const double> barostat) {
    clock_->resume(time, step_count, step_allowed);
    step_count_ = step_count;
    forces_are_ = Forces::known;
    forces_.rearrange();
    domains_.restore(domains);
    forces_.resume(*particles_, time, domains_);
    if (thermostat_ && !thermostat.empty()) thermostat_->restore(thermostat);
    if (barostat_ && !barostat.empty()) barostat_->restore(barostat);
    input_.note(*particles_);
}

// One leapfrog step. After a failure of the forces, the step continues with them.
void Simulation::step(double end) {
    if (forces_are_ != Forces::awaited) {
        ensure_forces();
        phases_.reset();
        if (rungs_ || barostat_) find_domains();
        move_volume();
        choose_length(end);
        kick_and_drift();
    }
    update_forces(end_of_step());
    kick_to_end();
}

ForceStep Simulation::end_of_step() const {
    const bool scaled = barostat_ && barostat_->due(step_count_ - 1);
    ForceStep step{
        .may_reuse = !rungs_ && !scaled, .time = clock_->step().end, .since_kick = clock_->factors().last_kick};
    if (own_steps_) {
        step.rungs = own_steps_->times_at_end(*clock_);
        step.since_kick = 0;
    }
    return step;
}

ForceStep Simulation::first_forces() const {
    ForceStep step{.time = time()};
    if (own_steps_) step.rungs = RungTimes();
    return step;
}

void Simulation::ensure_forces() {
    check_claim();
    if (forces_are_ == Forces::known && input_changed()) forces_changed();
    if (forces_are_ != Forces::unknown) return;
    update_forces(first_forces());
    input_.note(*particles_);
}

void Simulation::compute_forces() {
    check_claim();
    forces_.rearrange();
    update_forces(first_forces());
    input_.note(*particles_);
}

void Simulation::forces_changed() {
    if (forces_are_ != Forces::known) return;  // a step that has failed computes them in any case
    forces_.rearrange();
    forces_are_ = Forces::unknown;
}

// The same on all ranks. Between sites no step waits for the answer of all ranks.
bool Simulation::input_changed() const {
    const bool here = input_.changed(*particles_);
    if (!comm().spans_sites()) return any_rank(comm(), here);
    if (here)
        throw InputError("the particles of rank " + std::to_string(comm().rank()) +
                         " were changed after a step: allowed over several sites is a change after which all ranks "
                         "call forces_changed");
    return false;
}

void Simulation::check_claim() const {
    if (!particles_->claimed_by(claim_))
        throw InputError(
            "another simulation was made of the particles of this one, which both would move: give it a copy of them");
}

// In an expanding box a longest step is as long as takes the least work: what its many particles allow changes slowly.
// Sites would have to wait for each other to choose it.
void Simulation::choose_length(double end) {
    clock_->begin_step(clock_->limited_by_forces() ? allowed_step_now() : unlimited, end);
    if (!rungs_ || !expansion_work_ || !particles_->region().periodic() || comm().spans_sites()) return;
    RungForces among(forces(), evolutions_, *own_results_, domains_, phases_, abandoned_);
    const double share = rungs_->cheapest_length(*particles_, *clock_, among);
    if (share < 1) clock_->begin_step(share / clock_->share_allowed(time(), 1), end);
}

double Simulation::longest_step() {
    ensure_forces();
    return allowed_step_now();
}

double Simulation::allowed_step_now() const {
    return all_reduce(comm(), allowed_step(forces(), *particles_, time(), &comm()),
                      [](double a, double b) { return std::min(a, b); });
}

// After a resume on another number of ranks: forces of a level, and those in place, need the domains of the ranks.
void Simulation::find_domains() {
    if (domains_.distributed()) return;
    particles_->wrap_positions();
    domains_.distribute(*particles_, phases_);
    domains_.check_arrival();
    input_.note(*particles_);
}

// Unless a move is due and accepted, all is as before.
void Simulation::move_volume() {
    if (!barostat_ || !barostat_->due(step_count_)) return;
    check_can_be_scaled(*particles_, comm());
    const VolumeDraw draw = barostat_->draw(step_count_);
    const double before = potential_energy(comm(), *particles_);
    checked_length_ = 0;
    {
        ScaledBox trial(*particles_, before_step_, std::exp(draw.move / 3));
        forces_.compute_in_place(*particles_, first_forces(), step_count_, domains_, phases_);
        const VolumeMove move{draw.move, trial.volume_change(), potential_energy(comm(), *particles_) - before};
        if (barostat_->accepts(move, thermostat_->temperature(), draw.chance)) trial.keep();
    }
    input_.note(*particles_);
}

void Simulation::kick_and_drift() {
    check_accelerations();
    if (expansion_work_) expansion_work_->begin_step(kinetic_energy(*particles_));
    if (rungs_) {
        advance_individually(*rungs_);
    } else {
        const PhaseTimer timer(phases_, Phase::integration);
        hold_temperature(2 * step_count_);
        kick_evolutions(clock_->factors().first_kick);
        trellis::kick_and_drift(*particles_, clock_->factors().first_kick, clock_->factors().drift);
    }
    ++step_count_;
    forces_are_ = Forces::awaited;
}

// Does all of the step, but for the last kick by forces on all particles. If it fails, all is as at its beginning.
void Simulation::advance_individually(HierarchicalSteps& rungs) {
    before_step_.save(*particles_);
    const std::vector<double> bath = thermostat_state();
    try {
        {
            const PhaseTimer timer(phases_, Phase::integration);
            hold_temperature(2 * step_count_);
            after_bath_.save(*particles_);
        }
        while (!advance_by(rungs)) {
        }
    } catch (...) {
        before_step_.restore(*particles_);
        if (thermostat_) thermostat_->restore(bath);
        throw;
    }
}

// Does what follows the thermostat, with messages of one site alone, which may repeat it while others go on. False on
// all of its ranks if a device failed that a spare has replaced; then all is as at the beginning.
bool Simulation::advance_by(HierarchicalSteps& rungs) {
    RungForces among(forces(), evolutions_, *own_results_, domains_, phases_, abandoned_);
    try {
        {
            const PhaseTimer timer(phases_, Phase::integration);
            if (own_steps_) own_steps_->begin(*particles_);
            rungs.begin(*particles_, *clock_, among, phases_);
            kick_outer(clock_->factors().first_kick);
        }
        rungs.advance(*particles_, *clock_, among, phases_, own_steps_ ? &*own_steps_ : nullptr);
        if (own_steps_) own_steps_->exchange(*particles_);
    } catch (const DeviceError&) {
        before_step_.restore(*particles_);
        after_bath_.restore(*particles_);
        if (!forces_.spares().replace(among.failed(), forces(), domains_.site())) throw;
        return false;
    }
    deeper_work_ = among.work();
    if (work_of_ranks_.pending()) deeper_total_work_ = work_of_ranks_.collect();
    if (work_of_ranks_.post(comm(), deeper_work_)) deeper_total_work_ = work_of_ranks_.collect();
    return true;
}

// Particles of short steps may have accelerations for which the longest step is too long. Forces that have been checked
// for a step serve shorter ones.
void Simulation::check_accelerations() {
    const double length = clock_->step().length;
    if (length <= checked_length_) return;
    check_step(*particles_, time(), length, rungs_ ? unlimited : range_);
    checked_length_ = length;
}

void Simulation::update_forces(const ForceStep& step) {
    checked_length_ = 0;
    forces_.compute(*particles_, step, step_count_, forces_are_ != Forces::unknown, domains_, phases_);
    if (forces_are_ == Forces::unknown) forces_are_ = Forces::known;
}

void Simulation::kick_to_end() {
    const PhaseTimer timer(phases_, Phase::integration);
    check_accelerations();
    if (own_steps_) own_steps_->exchange(*particles_);
    kick_outer(clock_->factors().last_kick);
    if (own_steps_) own_steps_->end(*particles_, *clock_);
    hold_temperature(2 * step_count_ - 1);
    if (expansion_work_) expansion_work_->end_step(comm(), clock_->step(), kinetic_energy(*particles_));
    clock_->end_step();
    forces_are_ = Forces::known;
    input_.note(*particles_);
}

void Simulation::hold_temperature(std::uint64_t calls) {
    if (thermostat_) thermostat_->act(*particles_, 0.5 * clock_->step().length, calls, comm());
}

// Kicks by forces on all particles, at the beginning and the end of a step.
void Simulation::kick_outer(double half_kick) {
    const double time = rungs_ ? rungs_->outer_kick() * half_kick : half_kick;
    kick(*particles_, time);
    kick_evolutions(time);
}

void Simulation::kick_evolutions(double time) {
    for (const Evolution& evolution : evolutions_) kick(*particles_, evolution.value, evolution.rate, time);
}

ForceError Simulation::force_error(std::size_t count, std::uint64_t seed) {
    ensure_forces();
    return measure_force_error(comm(), *particles_, forces(), time(), count, seed);
}

}  // namespace trellis
