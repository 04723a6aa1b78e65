// The choice of rungs: of all particles, or of a level, by the steps that forces allow.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/integrate/particle_in_words.hpp"
#include "trellis/integrate/rungs/hierarchical_steps.hpp"
#include "trellis/integrate/rungs/level_choice.hpp"
#include "trellis/integrate/rungs/longest_step.hpp"
#include "trellis/integrate/step_rule.hpp"
#include "trellis/integrate/step_too_long.hpp"
#include "trellis/particles/motion.hpp"

namespace trellis {

using namespace fields;

namespace {

[[noreturn]] void throw_too_deep(const ParticleSet& particles, std::uint32_t row, double time, double allowed) {
    const Vec3<double>& a = particles[acceleration][row];
    throw RunError(name_of(particles, row) + " needs a step of " + to_text(allowed) + " at t = " + to_text(time) +
                   ", where its acceleration is " + to_text(std::sqrt(dot(a, a))) +
                   ": allowed is the longest step over 2^" + std::to_string(deepest_rung) +
                   " or more (a larger softening, eta, or a shorter longest step may help)");
}

// False for a particle alone, which takes the longest step, as all do that no force accelerates, and fixed ones.
bool any_accelerates(const ParticleSet& particles) {
    const auto a = particles[acceleration];
    const FreeRows free(particles);
    for (std::size_t row = 0; row < a.size(); ++row)
        if (free[row] && dot(a[row], a[row]) > 0) return true;
    return false;
}

}  // namespace

double HierarchicalSteps::cheapest_length(const ParticleSet& particles, const StepClock& clock, LevelForces& forces) {
    const double time = clock.time(), share_of_time = clock.share_allowed(time, 1);
    note_rows(particles);
    find_allowed_steps(particles, time, all_, forces);
    allowed_of_all_known_ = true;
    const auto counts_of = [&](std::size_t begin, std::size_t end) {
        CountsOfLengths counts{};
        for (std::size_t k = begin; k < end; ++k) count(share_of_time * allowed_[k], counts);
        return counts;
    };
    auto counts = parallel_reduce(all_.size(), CountsOfLengths{}, counts_of,
                                  [](const CountsOfLengths& a, const CountsOfLengths& b) { return added(a, b); });
    forces.add_over_ranks(counts);
    return trellis::cheapest_length(counts);
}

void HierarchicalSteps::find_allowed_steps(const ParticleSet& particles, double time,
                                           std::span<const std::uint32_t> rows, LevelForces& forces) {
    allowed_.assign(rows.size(), std::numeric_limits<double>::infinity());
    forces.allowed_steps(particles, time, scale_, rows, allowed_);
}

unsigned HierarchicalSteps::first_choice(const Part& part) { return part.depth == 0 ? 1 : part.rung; }

// All particles of a level end their steps where it begins one: each may go to the rung of that or to a deeper one.
void HierarchicalSteps::choose_rungs(const Motion& motion, const Part& part) {
    const std::span<const std::uint32_t> rows = rows_at(part.depth);
    const double time = motion.clock.time_at(part.begin_share());
    if (!std::exchange(allowed_of_all_known_, false)) find_allowed_steps(motion.particles, time, rows, motion.forces);
    LevelCosts costs = motion.forces.costs();
    acting_rungs_.resize(costs.among_level > 0 && costs.at_own_steps > 0 ? motion.particles.size() : 0);
    if (!acting_rungs_.empty()) {
        choose_acting_rungs(motion, part);
        costs.among_level = 0;
    }
    motion.forces.allowed_at_own_steps(motion.particles, time, rows, allowed_);
    if (part.depth == 0 && !limited_ && motion.forces.on_any_site(any_accelerates(motion.particles)))
        check_limited(motion.forces);
    const auto rungs = motion.particles[rung];
    parallel_for(rows.size(), [&](std::size_t k) {
        rungs[rows[k]] = std::max(part.rung, rung_of(motion.clock.share_allowed(time, allowed_[k])));
    });
    const auto bad = std::ranges::find_if(rows, [&](std::uint32_t row) { return rungs[row] > deepest_rung; });
    if (bad != rows.end())
        throw_too_deep(motion.particles, *bad, time, allowed_[static_cast<std::size_t>(bad - rows.begin())]);
    RungCounts counts{};
    for (const std::uint32_t row : rows) ++counts[static_cast<std::size_t>(rungs[row])];
    motion.forces.add_over_ranks(counts);
    const LevelOfRung levels = choose_levels(counts, first_choice(part), costs);
    parallel_for(rows.size(), [&](std::size_t k) {
        double& own = rungs[rows[k]];
        own = levels[static_cast<std::size_t>(own)];
        if (!acting_rungs_.empty()) own = std::max(own, acting_rungs_[rows[k]]);
    });
    check_moves(motion, part);
}

// Forces of short range limit no step, so that those of others may be too long for them.
void HierarchicalSteps::check_moves(const Motion& motion, const Part& part) const {
    const double range = motion.forces.range(), longest = motion.clock.step().length;
    if (!std::isfinite(range)) return;
    const auto rungs = std::as_const(motion.particles)[rung];
    const auto a = std::as_const(motion.particles)[acceleration];
    const FreeRows free(motion.particles);
    for (const std::uint32_t row : rows_at(part.depth)) {
        const double length = std::ldexp(longest, -static_cast<int>(rungs[row]));
        if (!free[row] || !step_is_too_long(dot(a[row], a[row]), length, range)) continue;
        const double time = motion.clock.time_at(part.begin_share());
        throw RunError(sentence_of({time, length, range, row}, motion.particles));
    }
}

// By the steps that the forces among particles of levels allow. Particles that do not act in this level keep theirs:
// they are within a step of it.
void HierarchicalSteps::choose_acting_rungs(const Motion& motion, const Part& part) {
    const std::span<const std::uint32_t> rows = rows_at(part.depth);
    const double time = motion.clock.time_at(part.begin_share());
    const auto acts = [&](std::uint32_t row) { return part.depth == 0 || acting_rungs_[row] >= part.rung; };
    RungCounts counts{};
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (!acts(rows[k])) continue;
        const unsigned needed = rung_of(motion.clock.share_allowed(time, allowed_[k]));
        const unsigned chosen = std::clamp(needed, part.rung, deepest_rung);
        acting_rungs_[rows[k]] = chosen;
        ++counts[chosen];
    }
    motion.forces.add_over_ranks(counts);
    const LevelCosts costs{motion.forces.costs().among_level, 0};
    const LevelOfRung levels = choose_levels(counts, first_choice(part), costs);
    for (const std::uint32_t row : rows)
        if (double& own = acting_rungs_[row]; acts(row)) own = levels[static_cast<std::size_t>(own)];
}

// Once for all steps: it takes messages between sites.
void HierarchicalSteps::check_limited(LevelForces& forces) {
    const auto limited = [](double step) { return std::isfinite(step); };
    limited_ = forces.on_any_site(std::ranges::any_of(allowed_, limited));
    if (!limited_)
        throw InputError(
            "individual time steps are given, but no force limits the step of a particle: allowed are forces of which "
            "one does, such as gravity with a softening");
}

}  // namespace trellis
