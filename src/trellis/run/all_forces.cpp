#include "trellis/run/all_forces.hpp"

#include <algorithm>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/device_failure.hpp"
#include "trellis/forces/external/mutual_acceleration.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

namespace {

// Adds the accelerations by the forces so far, times a factor, to the mutual ones.
void add_accelerations(ParticleSet& particles, double factor) {
    const auto all = std::as_const(particles)[fields::acceleration];
    const auto mutual = particles[MutualAcceleration{}];
    parallel_for(mutual.size(), [&](std::size_t row) { mutual[row] += factor * all[row]; });
}

}  // namespace

bool mutual_is_apart(const std::vector<std::shared_ptr<Force>>& forces) {
    const auto gives = [&](bool counts) {
        return std::ranges::any_of(forces, [&](const auto& force) {
            return force->counts_for_accuracy() == counts &&
                   std::ranges::find(force->results(), Acceleration::name, &FieldInfo::name) != force->results().end();
        });
    };
    return gives(true) && gives(false);
}

void AllForces::add(std::shared_ptr<Force> force) {
    Part& part = force->devices().none() ? on_host_ : on_devices_;
    const bool first = force->can_replace() && (part.empty() || !part.front()->can_replace());
    part.insert(first ? part.begin() : part.end(), force.get());
    may_fail_.reset();
    forces_.push_back(std::move(force));
}

bool AllForces::compute(ParticleSet& particles, const ForceStep& step, std::uint64_t number, Comm& comm,
                        Phases& phases) {
    failed_.clear();
    failure_ = nullptr;
    redo_ = false;
    replacing_ = first_replacing();
    counts_apart_ = particles.has(MutualAcceleration::name) &&
                    std::ranges::any_of(forces_, [](const auto& force) { return force->counts_for_accuracy(); });
    ForceStep now = step;
    now.number = number;
    dispatch(on_devices_, particles, now, phases);  // trees, lists, local essential trees
    dispatch(on_host_, particles, now, phases);
    clear_results(particles, step.active);
    work_ = {};
    retrieve(on_host_, particles, phases);  // interactions
    retrieve(on_devices_, particles, phases);
    return add_up(comm);
}

// If the device of one force fails, the others still make the exchanges that other ranks wait for.
void AllForces::dispatch(const Part& part, ParticleSet& particles, const ForceStep& step, Phases& phases) {
    for (Force* force : part) {
        ForceStep now = step;
        now.may_reuse = step.may_reuse && step.number % force->reuse_steps() != 0;
        now.replaces = force == replacing_;
        note(*force, device_failure_of([&] { force->dispatch(particles, now, phases); }));
    }
}

// The force whose results are written first, if it replaces those there; null: it adds to them.
const Force* AllForces::first_replacing() const {
    if (own_results_ != nullptr) return nullptr;
    for (const Part* part : {&on_host_, &on_devices_}) {
        const auto first = std::ranges::find_if(*part, [](const Force* force) { return !force->results().empty(); });
        if (first != part->end()) return (*first)->can_replace() ? *first : nullptr;
    }
    return nullptr;
}

// All columns of results but those that are replaced. Without memory for their names: steps allocate none.
void AllForces::clear_results(ParticleSet& particles, const ActiveRows& active) const {
    if (own_results_ != nullptr) own_results_->clear(particles);
    const auto has = [](const Force& force, std::string_view name) {
        return std::ranges::find(force.results(), name, &FieldInfo::name) != force.results().end();
    };
    const auto clear = [&](std::string_view name, std::size_t components) {
        double* values = particles.column(name).values();
        parallel_for(active.count(particles.size()),
                     [&](std::size_t k) { std::fill_n(values + active[k] * components, components, 0.0); });
    };
    for (auto force = forces_.begin(); force != forces_.end(); ++force)
        for (const FieldInfo& field : (*force)->results()) {
            const auto cleared = [&](const auto& earlier) { return has(*earlier, field.name); };
            if (std::any_of(forces_.begin(), force, cleared)) continue;
            if (replacing_ != nullptr && has(*replacing_, field.name)) continue;
            clear(field.name, field.components);
        }
    if (counts_apart_) clear(MutualAcceleration::name, MutualAcceleration::components);
}

void AllForces::retrieve(const Part& part, ParticleSet& particles, Phases& phases) {
    for (Force* force : part) {
        if (std::ranges::find(failed_, force, &FailedForce::force) != failed_.end()) continue;  // it failed in dispatch
        note(*force, device_failure_of([&] {
            try {
                work_ += results_of(*force, particles, phases);
            } catch (const RedoForces&) {
                redo_ = true;  // the other forces still make the exchanges that other ranks wait for
            }
        }));
    }
}

Work AllForces::results_of(Force& force, ParticleSet& particles, Phases& phases) const {
    if (own_results_ != nullptr && acts_at_own_steps(force)) return own_results_->retrieve(force, particles, phases);
    if (!counts_apart_ || !force.counts_for_accuracy()) return force.retrieve(particles, phases);
    add_accelerations(particles, -1);
    const Work work = force.retrieve(particles, phases);
    add_accelerations(particles, 1);
    return work;
}

void AllForces::note(Force& force, const std::exception_ptr& failure) {
    if (failure == nullptr) return;
    try {
        std::rethrow_exception(failure);
    } catch (const DeviceError& error) {
        failed_.push_back({&force, error.device(), error.what()});
    }
    if (failure_ == nullptr) failure_ = failure;
}

AllForces::Outcome AllForces::Outcome::joined(const Outcome& a, const Outcome& b) {
    Work work = a.work;
    return {work += b.work, a.cost + b.cost, std::max(a.most, b.most), std::min(a.first_failed, b.first_failed),
            a.redo || b.redo};
}

// Adds up the work and the costs of all ranks, in one round of messages. If a device of any rank has failed, all throw.
bool AllForces::add_up(Comm& comm) {
    const double cost = work_.cost / comm.site_speed();
    Outcome all{work_, cost, cost, failed_rank(comm, failure_), redo_};
    if (comm.spans_sites() && !may_fail(comm)) {
        if (!redo_) add_up_late(comm, all);
        return !redo_;  // the same on all ranks
    }
    if (comm.size() > 1) all = all_reduce(comm, all, &Outcome::joined);
    throw_failure(comm, failure_, all.first_failed);
    if (all.redo) return false;
    total_work_ = all.work;
    costs_ = {cost, all.cost, all.most};
    return true;
}

// Between sites, where no device can fail, no rank waits for the outcome of all ranks: it travels with the next
// messages and is collected in the next computation.
void AllForces::add_up_late(Comm& comm, const Outcome& own) {
    costs_.own = own.cost;
    if (outcome_of_all_.pending()) {
        const Outcome before = outcome_of_all_.collect();
        total_work_ = before.work;
        costs_ = {own.cost, before.cost, before.most};
    }
    outcome_of_all_.post(comm, own);
}

bool AllForces::may_fail(Comm& comm) {
    if (!may_fail_) may_fail_ = any_rank(comm, !on_devices_.empty());
    return *may_fail_;
}

void AllForces::resume(ParticleSet& particles, double time, const Ranks* ranks) {
    for (const auto& force : forces_) force->resume(particles, time, ranks);
}

void AllForces::resume_costs(Comm& comm, const Costs& costs) {
    costs_ = costs;
    if (!comm.spans_sites() || may_fail(comm)) return;
    outcome_of_all_ = DeferredReduction<Outcome>(&Outcome::joined);
    outcome_of_all_.post(comm, {{}, costs.own, costs.own, comm.size(), false});
}

}  // namespace trellis
