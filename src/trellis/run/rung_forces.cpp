#include "trellis/run/rung_forces.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/allowed_steps.hpp"
#include "trellis/forces/external/mutual_acceleration.hpp"
#include "trellis/integrate/rungs/step_abandoned.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

namespace {

template <class Counts>
Counts sum_over_ranks(Comm& comm, const Counts& here) {
    return all_reduce(comm, here, [](const Counts& a, const Counts& b) { return added(a, b); });
}

}  // namespace

RungForces::RungForces(const std::vector<std::shared_ptr<Force>>& forces, std::span<const Evolution> evolutions,
                       OwnResults& own_results, const Domains& domains, Phases& phases,
                       const std::function<bool()>& abandoned)
    : all_(forces), domains_(domains), phases_(phases), abandoned_(abandoned), own_results_(own_results) {
    results_.emplace_back(Acceleration::name);  // by which levels kick, even if no force gives one
    for (const auto& force : forces) {
        if (force->sums_over_pairs())
            among_level_.add(force);
        else if (acts_at_own_steps(*force))
            at_own_steps_.add(force);
        else
            continue;
        for (const FieldInfo& field : force->results())
            if (std::ranges::find(results_, field.name) == results_.end()) results_.push_back(field.name);
    }
    if (mutual_is_apart(forces)) results_.emplace_back(MutualAcceleration::name);
    kicks_.push_back({Velocity::name, Acceleration::name});
    kicks_.insert(kicks_.end(), evolutions.begin(), evolutions.end());
    costs_ = {among_level_.forces().empty() ? 0.0 : 1.0, at_own_steps_.forces().empty() ? 0.0 : 1.0};
}

void RungForces::check(const Force& force, unsigned order, const Comm& comm) {
    if (!force.evolves().empty() && !acts_at_own_steps(force))
        throw InputError("individual time steps are given, but '" + force.evolves().front().value +
                         "' evolves: allowed are a gas without neighbours_device, interactions of short range, and "
                         "forces that change velocities alone");
    if (comm.spans_sites() && acts_at_own_steps(force))
        throw InputError("individual time steps are given, but '" + force.results().front().name +
                         "' depends on all particles where some end their steps: allowed is one site, not several");
    if (order == 4 && !force.sums_over_pairs() && !force.results().empty())
        throw InputError("order is 4, but '" + force.results().front().name +
                         "' comes from a force that is no sum over pairs at positions, nor of the place alone: allowed "
                         "is order 2");
}

double RungForces::range() const {
    double shortest = std::numeric_limits<double>::infinity();
    for (const auto& force : all_) shortest = std::min(shortest, force->range());
    return shortest;
}

void RungForces::compute(ParticleSet& level, std::span<const double> previous, double time) {
    if (!at_own_steps_.forces().empty()) clear_results(level);  // not all of them are cleared below
    if (among_level_.forces().empty()) return;
    const ForceStep step{.previous = previous, .ranks = domains_.ranks_of_site(), .time = time, .level = true};
    while (!among_level_.compute(level, step, 0, domains_.site(), phases_)) {
    }
    work_ += among_level_.work();
}

void RungForces::clear_results(ParticleSet& level) const {
    for (const std::string& result : results_) {
        Column& column = level.column(result);
        parallel_for(column.size() * column.info().components, [&](std::size_t k) { column.values()[k] = 0; });
    }
}

void RungForces::compute_at_own_steps(ParticleSet& all, std::span<const std::uint32_t> rows, double time,
                                      const RungTimes& rungs) {
    const ForceStep step{
        .may_reuse = kept_lists_, .ranks = domains_.ranks(), .time = time, .active = ActiveRows(rows), .rungs = rungs};
    const std::uint64_t number = kept_lists_ ? 1 : 0;  // lists are made in step 0 and kept to the longest one's end
    own_results_.compute(all, step.active, [&] {
        while (!at_own_steps_.compute(all, step, number, domains_.comm(), phases_)) {
        }
    });
    kept_lists_ = true;
    work_ += at_own_steps_.work();
}

void RungForces::add_at_own_steps(const ParticleSet& all, std::span<const std::uint32_t> rows, std::string_view result,
                                  std::span<double> sums) const {
    own_results_.add(all, rows, result, sums);
}

void RungForces::allowed_steps(const ParticleSet& all, double time, double scale, std::span<const std::uint32_t> rows,
                               std::span<double> steps) const {
    for (const auto& force : all_)
        if (!acts_at_own_steps(*force)) force->allowed_steps(all, time, ActiveRows(rows), steps);
    parallel_for(steps.size(), [&](std::size_t k) { steps[k] *= scale; });
    if (at_own_steps_.forces().empty()) release_fixed(all, ActiveRows(rows), steps);
}

void RungForces::allowed_at_own_steps(const ParticleSet& all, double time, std::span<const std::uint32_t> rows,
                                      std::span<double> steps) const {
    for (const auto& force : at_own_steps_.forces()) force->allowed_steps(all, time, ActiveRows(rows), steps);
}

void RungForces::allowed_steps_of_level(const ParticleSet& level, double time, double scale,
                                        std::span<double> steps) const {
    for (const auto& force : among_level_.forces()) force->allowed_steps(level, time, {}, steps);
    parallel_for(steps.size(), [&](std::size_t k) { steps[k] *= scale; });
}

void RungForces::add_over_ranks(RungCounts& counts) { counts = sum_over_ranks(domains_.site(), counts); }

void RungForces::add_over_ranks(CountsOfLengths& counts) { counts = sum_over_ranks(domains_.site(), counts); }

void RungForces::gather_from_ranks(std::vector<Ball>& balls) {
    Comm& comm = domains_.site();
    if (comm.size() == 1) return;
    const auto own = std::as_bytes(std::span(balls));
    std::vector<Message> messages;
    messages.reserve(static_cast<std::size_t>(comm.size()));
    for (int to = 0; to < comm.size(); ++to) messages.push_back({to, {own.begin(), own.end()}});
    const auto bytes = joined_bytes(comm.begin_exchange(std::move(messages))->finish());
    balls.resize(bytes.size() / sizeof(Ball));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(balls)).begin());
}

bool RungForces::on_any_rank(bool here) {
    struct Answer {
        bool here, abandoned;
    };
    const bool asked = !has_other_sites() && abandoned_ && abandoned_();
    const Answer any = all_reduce(domains_.site(), Answer{here, asked}, [](const Answer& a, const Answer& b) {
        return Answer{a.here || b.here, a.abandoned || b.abandoned};
    });
    if (any.abandoned) throw StepAbandoned("a time step was abandoned: all is as it was when it began");
    return any.here;
}

bool RungForces::on_any_site(bool here) { return any_rank(domains_.comm(), here); }

}  // namespace trellis
