#include "trellis/run/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/integrate/leapfrog.hpp"
#include "trellis/ranks/collective.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

namespace {

// Rows near in space are kept near in memory. Particles mix slowly, so this need not be done at every step; that it
// depends on the step's number alone keeps a resumed run the same bit for bit.
constexpr std::uint64_t steps_between_row_sorts = 64;

// Particles need not be in their domains for the forces to be right: what other ranks are sent goes by where particles are. The first steps
// find the balance; later ones, too, if it is lost in between.
constexpr std::uint64_t steps_to_balance = 16, steps_between_distributions = 8;
constexpr double lost_balance = 1.1;

// Steps that are chosen grow little by little, as the leapfrog's accuracy wants it; a limit may jump up where what set it is gone. And they begin
// short: at rest, a gas does not know yet how fast it is going to be.
constexpr double step_growth = 1.1, first_share = 0.1;

void check_evolution(const Evolution& evolution, const ParticleSet& particles, const Force& force) {
    const FieldInfo &value = particles.column(evolution.value).info(), &rate = particles.column(evolution.rate).info();
    const bool alike = value.components == rate.components && !value.integer && !rate.integer;
    const auto results = force.results();
    if (!alike || std::ranges::none_of(results, [&](const FieldInfo& field) { return field.name == rate.name; }))
        throw InputError("'" + value.name + "' cannot evolve by '" + rate.name +
                         "': allowed is a result of the force, a number of as many components");
}

}  // namespace

Simulation::Simulation(std::shared_ptr<ParticleSet> particles, std::optional<double> timestep,
                       std::shared_ptr<Comm> comm)
    : particles_(std::move(particles)),
      domains_(std::move(comm)),
      chooses_steps_(!timestep),
      timestep_(timestep.value_or(0)) {
    if (timestep && !(*timestep > 0 && std::isfinite(*timestep)))
        throw InputError("timestep is " + to_text(*timestep) + ": allowed is above 0");
}

void Simulation::add_force(std::shared_ptr<Force> force) {
    force->attach(*particles_, forces_.size());
    for (const Evolution& evolution : force->evolves()) {
        check_evolution(evolution, *particles_, *force);
        if (std::ranges::find(evolutions_, evolution) == evolutions_.end()) evolutions_.push_back(evolution);
    }
    forces_.push_back(std::move(force));
    forces_known_ = false;
}

void Simulation::resume(double time, std::uint64_t step_count, const DomainState& domains,
                        std::span<const double> thermostat, double step_allowed) {
    time_ = time;
    step_count_ = step_count;
    step_allowed_ = step_allowed;
    if (chooses_steps_ && std::isfinite(step_allowed)) timestep_ = step_allowed;
    forces_known_ = true;
    domains_.restore(domains);
    if (thermostat_ && !thermostat.empty()) thermostat_->restore(thermostat);
}

void Simulation::step(double end) {
    if (!forces_pending_) {
        ensure_forces();
        phases_.reset();
        const PhaseTimer timer(phases_, Phase::integration);
        begin_step(end);
        hold_temperature(2 * step_count_);
        kick_all(0.5 * timestep_);
        drift(*particles_, timestep_);
        ++step_count_;
        forces_pending_ = true;
    }
    update_forces({.previous = {}, .may_reuse = true, .since_kick = 0.5 * timestep_});
    const PhaseTimer timer(phases_, Phase::integration);
    kick_all(0.5 * timestep_);
    hold_temperature(2 * step_count_ - 1);
    time_ = step_end_;
    forces_pending_ = false;
}

void Simulation::run_until(double end) {
    while (!reached(end)) step(end);
}

// How long the step is. Steps up to an end are equally long, as far as can be known: the last one is no stump.
void Simulation::begin_step(double end) {
    const double allowed = chooses_steps_ ? allowed_step() : step_allowed_, left = end - time_;
    double step = timestep_;
    if (chooses_steps_) step = std::isinf(left) ? allowed : std::min(allowed, left / std::ceil(left / allowed));
    step_end_ = chooses_steps_ && left <= allowed ? end : time_ + step;
    if (!(step_end_ > time_))
        throw RunError("timestep is " + to_text(step) + ": allowed is what moves the time on from " + to_text(time_));
    timestep_ = step;
    step_allowed_ = allowed;
}

double Simulation::allowed_step() const {
    double allowed = unlimited;
    for (const auto& force : forces_) allowed = std::min(allowed, force->longest_step(*particles_));
    allowed = all_reduce(comm(), allowed, [](double a, double b) { return std::min(a, b); });
    if (std::isinf(allowed))
        throw InputError("timestep is not given, which is allowed where a force limits it: none does");
    return std::isinf(step_allowed_) ? first_share * allowed : std::min(allowed, step_growth * step_allowed_);
}

void Simulation::ensure_forces() {
    if (!forces_known_) compute_forces();
}

void Simulation::compute_forces() { update_forces({}); }

void Simulation::hold_temperature(std::uint64_t calls) {
    if (thermostat_) thermostat_->act(*particles_, 0.5 * timestep_, calls, comm());
}

void Simulation::kick_all(double time) {
    kick(*particles_, time);
    for (const Evolution& evolution : evolutions_) kick(*particles_, evolution.value, evolution.rate, time);
}

void Simulation::update_forces(ForceStep step) {
    try {
        if (arrange_rows()) step.may_reuse = false;
        step.ranks = domains_.ranks();
        if (results_lost_) step.since_kick = 0;  // there is nothing to predict by
        add_forces(step);
    } catch (const std::bad_alloc&) {
        throw RunError((domains_.alone() ? "this machine" : "rank " + std::to_string(comm().rank())) +
                       " ran out of memory in the phase '" +
                       std::string(phase_names[static_cast<std::size_t>(phases_.last())]) + "'");
    }
    total_work_ = domains_.alone() ? work_ : all_reduce(comm(), work_, [](Work a, const Work& b) { return a += b; });
}

// Where no list is to be reused: particles back into a box that repeats (lists know images by where they were), to their ranks, and rows near in space near in memory. Whether rows may have moved.
bool Simulation::arrange_rows() {
    std::uint64_t cycle = 1;  // all lists are made anew every so many steps
    for (const auto& force : forces_) cycle = std::lcm(cycle, std::uint64_t{force->reuse_steps()});
    const bool due = step_count_ < steps_to_balance || step_count_ % steps_between_distributions < cycle;
    const bool sort = step_count_ % steps_between_row_sorts == 0;
    const bool distribute =
        sort || !domains_.distributed() || (step_count_ % cycle == 0 && (due || domains_.imbalance() > lost_balance));
    if (distribute) {
        wrap_positions();
        domains_.distribute(*particles_, phases_);
    }
    if (sort) sort_rows();
    return distribute;
}

void Simulation::add_forces(const ForceStep& step) {
    bool needs_previous = false;
    for (const auto& force : forces_) needs_previous = needs_previous || force->uses_previous_acceleration();
    // A criterion relative to the last acceleration has none to go by at first: then a rough force comes before.
    const int passes = needs_previous && !forces_known_ ? 2 : 1;
    for (int pass = 0; pass < passes; ++pass) {
        ForceStep now = step;
        now.previous = previous_accelerations(needs_previous && (forces_known_ || pass > 0));
        for (const auto& force : forces_) {
            now.may_reuse = step.may_reuse && step_count_ % force->reuse_steps() != 0;
            now.followed = force != forces_.back();
            force->dispatch(*particles_, now, phases_);
        }
        results_lost_ = true;
        clear_results();
        work_ = {};
        for (const auto& force : forces_) work_ += force->retrieve(*particles_, phases_);
        results_lost_ = false;
    }
    domains_.note_cost(work_.cost);
    forces_known_ = true;
}

// The magnitude of each row's last acceleration, if it is known; after a failure, those that were noted before it.
std::span<const double> Simulation::previous_accelerations(bool known) {
    if (known && results_lost_ && previous_.size() == particles_->size()) return previous_;
    previous_.resize(known ? particles_->size() : 0);
    const auto a = (*particles_)[acceleration];
    parallel_for(previous_.size(), [&](std::size_t k) { previous_[k] = std::sqrt(dot(a[k], a[k])); });
    return previous_;
}

void Simulation::clear_results() {
    for (const auto& force : forces_)
        for (const FieldInfo& field : force->results()) {
            double* values = particles_->column(field.name).values();
            parallel_for(particles_->size() * field.components, [&](std::size_t k) { values[k] = 0; });
        }
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
    tree.build((*particles_)[position], static_cast<std::uint32_t>(particles_->size()), counted_as_reordering);
    particles_->permute(tree.order());
}

ForceError Simulation::force_error(std::size_t count, std::uint64_t seed) {
    ensure_forces();
    return measure_force_error(comm(), *particles_, forces_, count, seed);
}

}  // namespace trellis
