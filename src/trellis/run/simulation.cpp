#include "trellis/run/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/gravity/timed_force.hpp"
#include "trellis/forces/tree/scale_exchange.hpp"
#include "trellis/integrate/leapfrog.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/run/diagnostics.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

using namespace fields;

namespace {

// Rows near in space are kept near in memory. Particles mix slowly, so this need not be done at every step; that it
// depends on the step's number alone keeps a resumed run the same bit for bit.
constexpr std::uint64_t steps_between_row_sorts = 64;

// Particles need not be in their domains for the forces to be right: what is sent to other ranks depends on where
// particles are. The first steps find the balance; later ones, too, if it is lost in between.
constexpr std::uint64_t steps_to_balance = 16, steps_between_distributions = 8;
constexpr double lost_balance = 1.1;

// Chosen steps grow little by little, as the leapfrog's accuracy requires; their limit may jump up when its cause is
// gone. They begin short: a gas at rest does not yet show how fast it is going to be.
constexpr double step_growth = 1.1, first_share = 0.1;

void check_evolution(const Evolution& evolution, const ParticleSet& particles, const Force& force) {
    const FieldInfo &value = particles.column(evolution.value).info(), &rate = particles.column(evolution.rate).info();
    const bool alike = value.components == rate.components && !value.integer && !rate.integer;
    const auto results = force.results();
    if (!alike || std::ranges::none_of(results, [&](const FieldInfo& field) { return field.name == rate.name; }))
        throw InputError("'" + value.name + "' cannot evolve by '" + rate.name +
                         "': allowed is a result of the force, a number of as many components");
}

[[noreturn]] void refuse_expansion_with(const Evolution& evolution) {
    throw InputError("'" + evolution.value +
                     "' evolves, but space expands: allowed are forces that change velocities alone");
}

}  // namespace

Simulation::Simulation(std::shared_ptr<ParticleSet> particles, std::optional<double> timestep,
                       std::shared_ptr<Comm> comm)
    : particles_(std::move(particles)), domains_(std::move(comm)), fixed_timestep_(timestep) {
    if (timestep && !(*timestep > 0 && std::isfinite(*timestep)))
        throw InputError("timestep is " + to_text(*timestep) + ": allowed is above 0");
}

void Simulation::add_force(std::shared_ptr<Force> force) {
    force->attach(*particles_, forces().size());
    for (const Evolution& evolution : force->evolves()) {
        if (expansion_) refuse_expansion_with(evolution);
        check_evolution(evolution, *particles_, *force);
        if (std::ranges::find(evolutions_, evolution) == evolutions_.end()) evolutions_.push_back(evolution);
    }
    for (const FieldInfo& field : force->results()) before_forces_.add(field.name);
    for (const std::string& name : force->checkpoint_columns()) before_forces_.add(name);
    forces_.add(std::move(force));
    forces_are_ = Forces::unknown;
}

void Simulation::set_thermostat(std::shared_ptr<Thermostat> thermostat) {
    if (thermostat && expansion_) throw InputError("a thermostat is given, but space expands: allowed is none");
    thermostat_ = std::move(thermostat);
}

void Simulation::set_expansion(const Expansion& expansion) {
    if (fixed_timestep_)
        throw InputError("timestep is " + to_text(*fixed_timestep_) +
                         ", but space expands: allowed are steps of a length in ln a");
    if (thermostat_) throw InputError("a thermostat is given, but space expands: allowed is none");
    if (!evolutions_.empty()) refuse_expansion_with(evolutions_.front());
    expansion_ = expansion;
}

void Simulation::resume(double time, std::uint64_t step_count, const DomainState& domains,
                        std::span<const double> thermostat, double step_allowed) {
    time_ = time;
    step_count_ = step_count;
    step_allowed_ = step_allowed;
    if (!fixed_timestep_ && std::isfinite(step_allowed)) timestep_ = (expansion_ ? time : 1) * step_allowed;
    forces_are_ = Forces::known;
    rearranged_.reset();
    for (const auto& force : forces())
        if (auto* changing = dynamic_cast<TimedForce*>(force.get())) changing->set_time(time);
    if (domains_.restore(domains)) forces_.resume(comm(), domains_.costs());
    if (thermostat_ && !thermostat.empty()) thermostat_->restore(thermostat);
}

// One leapfrog step. After a failure of the forces, the step goes on with them.
void Simulation::step(double end) {
    if (forces_are_ != Forces::awaited) {
        ensure_forces();
        phases_.reset();
        choose_length(end);
        kick_and_drift();
    }
    update_forces({.may_reuse = true, .time = step_end_, .since_kick = factors_.last_kick});
    kick_to_end();
}

void Simulation::run_until(double end, bool exact) {
    while (!reached(end)) step(exact || !fixed_timestep_ ? end : unlimited);
}

void Simulation::run_steps(std::uint64_t count) {
    for (std::uint64_t k = 0; k < count; ++k) step();
}

void Simulation::choose_length(double end) {
    const double allowed = allowed_step();
    const StepLength next = next_step(allowed, end);
    if (!(next.end > time_))
        throw RunError("timestep is " + to_text(next.length) + ": allowed is what moves the time on from " +
                       to_text(time_));
    timestep_ = next.length;
    step_end_ = next.end;
    step_allowed_ = allowed;
    factors_ = {.first_kick = 0.5 * timestep_, .drift = timestep_, .last_kick = 0.5 * timestep_};
    if (expansion_) factors_ = expansion_->factors(time_, step_end_);
}

StepLength Simulation::next_step(double allowed, double end) const {
    if (expansion_) return Expansion::step(time_, allowed, end);
    return fixed_timestep_ ? fixed_step(time_, *fixed_timestep_, end) : chosen_step(time_, allowed, end);
}

double Simulation::allowed_step() const {
    if (fixed_timestep_) return step_allowed_;
    if (expansion_ && !expansion_->steps_are_chosen()) return expansion_->allowed(time_, unlimited);
    double longest = unlimited;
    for (const auto& force : forces()) longest = std::min(longest, force->longest_step(*particles_));
    longest = all_reduce(comm(), longest, [](double a, double b) { return std::min(a, b); });
    if (expansion_) return std::min(expansion_->allowed(time_, longest), step_growth * step_allowed_);
    if (std::isinf(longest))
        throw InputError("timestep is not given, which is allowed where a force limits it: none does");
    return std::isinf(step_allowed_) ? first_share * longest : std::min(longest, step_growth * step_allowed_);
}

void Simulation::ensure_forces() {
    if (forces_are_ == Forces::unknown) update_forces({.time = time_});
}

void Simulation::compute_forces() {
    rearranged_.reset();
    update_forces({.time = time_});
}

void Simulation::kick_and_drift() {
    const PhaseTimer timer(phases_, Phase::integration);
    if (expansion_) kinetic_at_begin_ = kinetic_energy(*particles_);
    hold_temperature(2 * step_count_);
    kick_all(factors_.first_kick);
    drift(*particles_, factors_.drift);
    ++step_count_;
    forces_are_ = Forces::awaited;
}

void Simulation::kick_to_end() {
    const PhaseTimer timer(phases_, Phase::integration);
    kick_all(factors_.last_kick);
    hold_temperature(2 * step_count_ - 1);
    if (expansion_) note_kinetic_energies();
    time_ = step_end_;
    forces_are_ = Forces::known;
}

// Between sites no rank waits for the sums over all ranks: they travel with the messages of the next step.
void Simulation::note_kinetic_energies() {
    const Kinetic own{kinetic_at_begin_, kinetic_energy(*particles_)};
    settle_expansion_work();
    step_to_settle_ = {timestep_, step_end_};
    if (kinetic_of_all_.post(comm(), own)) settle_expansion_work();
}

void Simulation::settle_expansion_work() {
    if (!kinetic_of_all_.pending()) return;
    const Kinetic all = kinetic_of_all_.collect();
    if (expansion_) expansion_->add_work(step_to_settle_, all.begin, all.end);
}

double Simulation::expansion_work() {
    settle_expansion_work();
    return expansion_ ? expansion_->work() : 0;
}

void Simulation::hold_temperature(std::uint64_t calls) {
    if (thermostat_) thermostat_->act(*particles_, 0.5 * timestep_, calls, comm());
}

void Simulation::kick_all(double time) {
    kick(*particles_, time);
    for (const Evolution& evolution : evolutions_) kick(*particles_, evolution.value, evolution.rate, time);
}

// Computes the forces at the present positions; if a device fails, again with a spare, and again if a force says so.
void Simulation::update_forces(const ForceStep& step) {
    while (true) {
        try {
            return try_forces(step);
        } catch (const RedoForces&) {
            continue;
        } catch (const DeviceError&) {
            if (!spares_.replace(forces_.failed(), forces(), comm())) throw;
        }
    }
}

// A failure leaves the columns as they were, and the particles where they are: forces that are computed again find the
// same values.
void Simulation::try_forces(ForceStep step) {
    try {
        step.repeated = rearranged_.has_value();
        if (!rearranged_) rearranged_ = arrange_rows(step.may_reuse);  // domains, exchange of particles
        step.may_reuse = step.may_reuse && !*rearranged_;
        step.ranks = domains_.ranks();
        if (forces_are_ == Forces::unknown) forget_potentials();
        const bool fail_midway = forces_fail_midway();
        if (fail_midway) before_forces_.save(*particles_);
        try {
            compute_all(step);
        } catch (...) {
            if (fail_midway) before_forces_.restore(*particles_);
            throw;
        }
    } catch (const std::bad_alloc&) {
        throw RunError((domains_.alone() ? "this machine" : "rank " + std::to_string(comm().rank())) +
                       " ran out of memory in the phase '" +
                       std::string(phase_names[static_cast<std::size_t>(phases_.last())]) + "'");
    }
    rearranged_.reset();
    if (forces_are_ == Forces::unknown) forces_are_ = Forces::known;
}

// True on all ranks or on none: of several, all repeat a step that fails on one, whether they have a device or not.
bool Simulation::forces_fail_midway() const {
    return !domains_.alone() ||
           std::ranges::any_of(forces(), [](const auto& force) { return force->may_fail_after_writing(); });
}

// At steps that reuse no list: brings particles back into a periodic box (lists know images by where they were) and to
// their ranks, and rows near in space near in memory, unless their order is to be kept. True if rows may have moved.
bool Simulation::arrange_rows(bool may_reuse) {
    std::uint64_t cycle = 1;  // the number of steps after which all lists are rebuilt
    for (const auto& force : forces()) cycle = std::lcm(cycle, std::uint64_t{force->reuse_steps()});
    const bool due = step_count_ < steps_to_balance || step_count_ % steps_between_distributions < cycle;
    const bool sort = step_count_ % steps_between_row_sorts == 0;
    const bool distribute =
        sort || !domains_.distributed() || (step_count_ % cycle == 0 && (due || domains_.imbalance() > lost_balance));
    if (distribute || !may_reuse || step_count_ % cycle == 0) wrap_positions();
    if (distribute) domains_.distribute(*particles_, phases_);
    if (sort && !(keep_order_ && domains_.alone())) sort_rows();
    return distribute;
}

// The criterion relative to the last acceleration has none at first: then a rough force is computed before. In a
// periodic box, where forces cancel, a second one is less rough.
void Simulation::compute_all(const ForceStep& step) {
    const bool relative =
        std::ranges::any_of(forces(), [](const auto& force) { return force->uses_previous_acceleration(); });
    ForceStep now = step;
    if (relative && forces_are_ == Forces::unknown) {
        forces_.compute(*particles_, now, step_count_, comm(), phases_);
        if (particles_->region().periodic()) {
            now.previous = previous_accelerations(relative);
            forces_.compute(*particles_, now, step_count_, comm(), phases_);
        }
    }
    now.previous = previous_accelerations(relative);
    forces_.compute(*particles_, now, step_count_, comm(), phases_);
    domains_.note_costs(forces_.costs());
    domains_.check_arrival();
}

// The magnitude of each row's last acceleration, if it is known.
std::span<const double> Simulation::previous_accelerations(bool known) {
    previous_.resize(known ? particles_->size() : 0);
    const auto a = (*particles_)[acceleration];
    parallel_for(previous_.size(), [&](std::size_t k) { previous_[k] = std::sqrt(dot(a[k], a[k])); });
    return previous_;
}

// Potentials may have come from a file; where no force computes them, they count in no energy.
void Simulation::forget_potentials() {
    for (const char* name : {Potential::name, ExternalPotential::name})
        if (particles_->has(name)) std::fill_n(particles_->column(name).values(), particles_->size(), 0.0);
}

void Simulation::wrap_positions() {
    const PhaseTimer timer(phases_, Phase::reorder_particles);
    particles_->wrap_positions();
}

void Simulation::sort_rows() {
    const PhaseTimer timer(phases_, Phase::reorder_particles);
    particles_->check_finite(Position::name);
    Tree tree;
    Phases counted_as_reordering;
    {
        Workspace space;  // freed before columns are copied
        tree.build((*particles_)[position], static_cast<std::uint32_t>(particles_->size()), space,
                   counted_as_reordering);
    }
    particles_->permute(tree.order());
}

ForceError Simulation::force_error(std::size_t count, std::uint64_t seed) {
    ensure_forces();
    return measure_force_error(comm(), *particles_, forces(), count, seed);
}

}  // namespace trellis
