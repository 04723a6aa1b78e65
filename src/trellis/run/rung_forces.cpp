#include "trellis/run/rung_forces.hpp"

#include <algorithm>
#include <limits>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/allowed_steps.hpp"
#include "trellis/forces/external/mutual_acceleration.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

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
    const Ranks* others = alone_ ? nullptr : domains_.ranks_of_site();
    const ForceStep step{.previous = previous, .ranks = others, .time = time, .level = true};
    while (!among_level_.compute(level, step, 0, ranks(), phases_)) {
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
        if (!acts_at_own_steps(*force)) force->allowed_steps(all, time, ActiveRows(rows), &ranks(), steps);
    parallel_for(steps.size(), [&](std::size_t k) { steps[k] *= scale; });
    if (at_own_steps_.forces().empty()) release_fixed(all, ActiveRows(rows), steps);
}

void RungForces::allowed_at_own_steps(const ParticleSet& all, double time, std::span<const std::uint32_t> rows,
                                      std::span<double> steps) const {
    for (const auto& force : at_own_steps_.forces()) force->allowed_steps(all, time, ActiveRows(rows), &ranks(), steps);
}

void RungForces::allowed_steps_of_level(const ParticleSet& level, double time, double scale,
                                        std::span<double> steps) const {
    for (const auto& force : among_level_.forces()) force->allowed_steps(level, time, {}, nullptr, steps);
    parallel_for(steps.size(), [&](std::size_t k) { steps[k] *= scale; });
}

bool RungForces::on_any_site(bool here) { return any_rank(domains_.comm(), here); }

}  // namespace trellis
