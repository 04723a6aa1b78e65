#include "trellis/integrate/rungs/hierarchical_steps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/allowed_steps.hpp"
#include "trellis/integrate/rungs/level_on_one_rank.hpp"
#include "trellis/particles/motion.hpp"

namespace trellis {

using namespace fields;

namespace {

// The longest step of slow particles over that which their forces on fast ones would allow these.
constexpr double longest_by_slow = 2;

}  // namespace

double HierarchicalSteps::Part::begin_share() const { return std::ldexp(number, -static_cast<int>(rung)); }
double HierarchicalSteps::Part::end_share() const { return std::ldexp(number + 1.0, -static_cast<int>(rung)); }

HierarchicalSteps::HierarchicalSteps(double eta, unsigned order) : scale_(std::sqrt(checked_eta(eta) / eta_of_limits)) {
    if (order != 2 && order != 4) throw InputError("order is " + std::to_string(order) + ": allowed are 2 and 4");
    if (order == 4) middle_kick_.emplace();
}

void HierarchicalSteps::attach(ParticleSet& particles) {
    if (!particles.has(Rung::name)) particles.add(rung);
}

void HierarchicalSteps::note_rows(const ParticleSet& particles) {
    if (all_.size() == particles.size()) return;
    all_.resize(particles.size());
    std::iota(all_.begin(), all_.end(), 0U);
}

void HierarchicalSteps::begin(ParticleSet& particles, const StepClock& clock, LevelForces& forces, Phases& phases) {
    note_rows(particles);
    for (Level& each : levels_) each.forget();  // so that a resumed run computes the same forces
    other_sites_known_ = false;
    use_ = {};
    choose_rungs({particles, clock, forces, phases, nullptr}, {0, 0, 0});
}

void HierarchicalSteps::advance(ParticleSet& particles, const StepClock& clock, LevelForces& forces, Phases& phases,
                                OwnSteps* own_steps) {
    if (middle_kick_) middle_kick_->begin(particles, all_);
    advance({particles, clock, forces, phases, own_steps}, {0, 0, 0}, false);
}

// choose: rungs are chosen, since no level above begins a step at the same time.
void HierarchicalSteps::advance(const Motion& motion, const Part& part, bool choose) {
    if (choose) choose_rungs(motion, part);
    if (part.depth > 0 && !any_of_rung(motion, part)) {
        advance(motion, part.half(0, part.depth), false);
        return advance(motion, part.half(1, part.depth), true);
    }
    bool divided = form_level_below(motion, part);
    if (divided && join_what_acts_strongly(motion, part)) {
        if (part.depth > 0) return advance(motion, part, false);
        divided = form_level_below(motion, part);
    }
    if (part.depth == 0) note_rungs(motion.particles);
    ends_.resize(part.depth);
    ends_.push_back(part.end_share());
    const StepFactors factors = motion.clock.factors(part.begin_share(), part.end_share());
    const double last_kick = outer_kick() * factors.last_kick;
    kick_from_begin(motion, part, outer_kick() * factors.first_kick, divided);
    advance_within(motion, part, factors, divided);
    if (divided)
        level(part.depth + 1).kick(motion.particles, motion.forces.kicks(), -last_kick);
    else if (motion.own_steps != nullptr)
        compute_at_own_steps(motion, part.end_share());
    if (part.depth == 0) return;
    compute(motion, part.depth, part.end_share());
    kick_to_end(motion, part, last_kick);
}

// The drift of the particles that are not in the level below, the two steps of those that are, and the kick between
// them.
void HierarchicalSteps::advance_within(const Motion& motion, const Part& part, const StepFactors& factors,
                                       bool divided) {
    const double drifted = middle_kick_ ? 0.5 * factors.drift : factors.drift;
    use_.updates += drift(motion, part, drifted);
    const Halves before_middle{0, middle_kick_ ? 0U : 1U};
    if (divided) advance_below(motion, part, before_middle);
    if (!middle_kick_) return;
    kick_in_the_middle(*middle_kick_, motion, part, factors.drift, divided);
    drift(motion, part, drifted);
    if (divided) advance_below(motion, part, {1, 1});
}

// The level below: the steps of these halves of a step of this one.
void HierarchicalSteps::advance_below(const Motion& motion, const Part& part, const Halves& halves) {
    const std::size_t depth = part.depth + 1;
    if (!goes_to_one_rank(motion, depth)) return advance_halves(motion, part, halves);
    LevelOnOneRank few(motion.particles, level(depth), motion.forces);
    few.take([&](ParticleSet& particles, Level& joined) {
        HierarchicalSteps there = of_deeper_levels(depth);
        there.level(depth) = std::move(joined);
        if (there.middle_kick_) there.middle_kick_->begin(particles, {});
        there.advance_halves({particles, motion.clock, motion.forces, motion.phases, nullptr}, part, halves);
        joined = std::move(there.level(depth));
        use_.updates += there.use_.updates;
        use_.level_updates += there.use_.level_updates;
    });
    few.send_back(motion.particles, level(depth));
}

void HierarchicalSteps::advance_halves(const Motion& motion, const Part& part, const Halves& halves) {
    for (std::uint32_t half = halves.first; half <= halves.last; ++half)
        advance(motion, part.half(half, part.depth + 1), half == 1);
}

// A gas needs particles of all ranks at each step.
bool HierarchicalSteps::goes_to_one_rank(const Motion& motion, std::size_t depth) const {
    return motion.forces.ranks().size() > 1 && motion.own_steps == nullptr && !other_sites_known_ &&
           motion.forces.costs().among_level > 0 && LevelOnOneRank::suits(levels_[depth - 1].size());
}

HierarchicalSteps HierarchicalSteps::of_deeper_levels(std::size_t depth) const {
    HierarchicalSteps steps(eta_of_limits, order());
    steps.scale_ = scale_;
    steps.levels_.resize(depth);
    return steps;
}

void HierarchicalSteps::kick_in_the_middle(MiddleKick& kick, const Motion& motion, const Part& part, double length,
                                           bool divided) {
    const double time = motion.clock.time_at(0.5 * (part.begin_share() + part.end_share()));
    Level* const own = part.depth == 0 ? nullptr : &level(part.depth);
    Level* const below = divided ? &level(part.depth + 1) : nullptr;
    use_.level_updates += kick.act(motion.particles, own, below, length, time, motion.forces);
}

// True if a particle of the level, on any rank, has the rung of this step, or acts up to it: else the level is that of
// the next rung.
bool HierarchicalSteps::any_of_rung(const Motion& motion, const Part& part) const {
    const auto rungs = std::as_const(motion.particles)[rung];
    return motion.forces.on_any_rank(std::ranges::any_of(rows_at(part.depth), [&](std::uint32_t row) {
        return rungs[row] == part.rung || acting_rung(motion.particles, row) == part.rung;
    }));
}

double HierarchicalSteps::acting_rung(const ParticleSet& particles, std::uint32_t row) const {
    return acting_rungs_.empty() ? particles[rung][row] : acting_rungs_[row];
}

// At the end of the longest step, forces at particles' own steps are computed with all others.
void HierarchicalSteps::compute(const Motion& motion, std::size_t depth, double share) {
    level(depth).compute(motion.particles, motion.forces, motion.clock.time_at(share));
    level(depth).collect(motion.particles, motion.forces, motion.own_steps != nullptr && share < 1);
    use_.level_updates += level(depth).acting().size();
}

// For all particles whose steps end: those of the first level that ends one.
void HierarchicalSteps::compute_at_own_steps(const Motion& motion, double share) {
    const auto depth = static_cast<std::size_t>(std::ranges::find(ends_, share) - ends_.begin());
    motion.own_steps->compute(motion.particles, rows_at(depth), share, motion.clock, motion.forces);
}

// The kick of a level, without that of the level below.
void HierarchicalSteps::kick_from_begin(const Motion& motion, const Part& part, double time, bool divided) {
    const PhaseTimer timer(motion.phases, Phase::integration);
    const auto kicks = motion.forces.kicks();
    if (part.depth > 0) level(part.depth).kick(motion.particles, kicks, time);
    if (divided) level(part.depth + 1).kick(motion.particles, kicks, -time);
}

void HierarchicalSteps::kick_to_end(const Motion& motion, const Part& part, double time) {
    const PhaseTimer timer(motion.phases, Phase::integration);
    const Level& ending = level(part.depth);
    if (motion.own_steps != nullptr) motion.own_steps->before_kick(motion.particles, ending.rows(), part.rung, time);
    ending.update(motion.particles);
    if (motion.own_steps != nullptr) motion.own_steps->after_kick(motion.particles, ending.rows(), time);
    ending.kick(motion.particles, motion.forces.kicks(), time);
}

void HierarchicalSteps::note_rungs(const ParticleSet& particles) {
    for (const double each : particles[rung]) ++use_.particles[static_cast<std::size_t>(each)];
}

// The level below that of a step which begins now; false if it has no particle on any rank.
bool HierarchicalSteps::form_level_below(const Motion& motion, const Part& part) {
    const auto rungs = std::as_const(motion.particles)[rung];
    std::vector<std::uint32_t> deeper, acting;
    const bool any_acts = motion.forces.costs().among_level > 0;
    for (const std::uint32_t row : rows_at(part.depth)) {
        if (rungs[row] > part.rung) deeper.push_back(row);
        if (any_acts && acting_rung(motion.particles, row) > part.rung) acting.push_back(row);
    }
    const LevelSize size = motion.forces.size_over_ranks(deeper.size());
    if (size.all == 0) {
        for (std::size_t k = part.depth; k < levels_.size(); ++k) levels_[k].forget();
        return false;
    }
    if (levels_.size() == part.depth) levels_.emplace_back();
    Level& below = level(part.depth + 1);
    below.set_size(size);
    const bool acts = any_acts && (acting_rungs_.empty() || motion.forces.on_any_rank(!acting.empty()));
    const bool others = below.choose(motion.particles, std::move(deeper), std::move(acting), acts);
    if (motion.forces.on_any_rank(others))
        compute(motion, part.depth + 1, part.begin_share());
    else
        below.collect(motion.particles, motion.forces, motion.own_steps != nullptr);
    below.note_others(motion.particles);
    return true;
}

// Pairs of a slow and a fast particle are kicked with the step of the slow one. Where that is too long for the fast
// one, as for a planet and its star, the slow ones near it join the level below. True if the level has no particle of
// its own rung then.
bool HierarchicalSteps::join_what_acts_strongly(const Motion& motion, const Part& part) {
    const std::vector<Ball> around = where_slow_act_strongly(motion, part);
    if (around.empty()) return false;
    join_level_below(motion, part, Balls(around, motion.particles.region()));
    if (!any_of_rung(motion, part)) return true;
    form_level_below(motion, part);
    return false;
}

// Balls around the particles of the level below, of all ranks, on which slow ones act too strongly for their step.
// Particles of other sites act once in each longest step, whatever rungs those here have. So where all that act in
// level 0 alone act strongly, the forces of other sites are left out, in deeper levels as well.
std::vector<Ball> HierarchicalSteps::where_slow_act_strongly(const Motion& motion, const Part& part) {
    std::vector<Ball> around = around_pulled_strongly(motion, part);
    if (!motion.forces.on_any_rank(!around.empty())) return {};
    if (part.depth == 0 && !other_sites_known_ && motion.forces.has_other_sites()) {
        find_forces_of_other_sites(motion);
        around = around_pulled_strongly(motion, part);
    }
    motion.forces.gather_from_ranks(around);
    return around;
}

// Balls of this rank. The acceleration by the slow particles beyond a ball would move the one at its centre, in their
// step, by at most a 40th (eta = 0.025) of their distance.
std::vector<Ball> HierarchicalSteps::around_pulled_strongly(const Motion& motion, const Part& part) {
    Level& below = level(part.depth + 1);
    const double time = motion.clock.time_at(part.begin_share()), share = std::ldexp(1.0, -static_cast<int>(part.rung));
    const double step = share / motion.clock.share_allowed(time, 1);
    const Level* const without = other_sites_known_ ? &all_of_site_ : nullptr;
    const std::vector<Level::Pull> pulls = below.pulls_by_others(motion.forces, time, scale_, without);
    const auto x = std::as_const(motion.particles)[position];
    const FreeRows free(motion.particles);
    std::vector<Ball> around;
    for (std::size_t k = 0; k < pulls.size(); ++k)
        if (free[below.acting()[k]] && pulls[k].allowed * longest_by_slow < step)
            around.push_back(
                {x[below.acting()[k]], pulls[k].acceleration * step * step / (2 * eta_of_limits * scale_ * scale_)});
    return around;
}

// Computes these forces at the beginning of the longest step; they stay the same in it.
void HierarchicalSteps::find_forces_of_other_sites(const Motion& motion) {
    all_of_site_.forget();
    all_of_site_.choose(motion.particles, all_, all_, true);
    all_of_site_.compute(motion.particles, motion.forces, motion.clock.time_at(0));
    all_of_site_.collect(motion.particles, motion.forces, false);
    all_of_site_.note_others(motion.particles);
    use_.level_updates += all_.size();
    other_sites_known_ = true;
}

// Lets the particles that act up to a level's own rung, and that are near others, act in the level below, too.
void HierarchicalSteps::join_level_below(const Motion& motion, const Part& part, const Balls& near) {
    const auto rungs = motion.particles[rung];
    const auto x = std::as_const(motion.particles)[position];
    RungCounts counts{};
    for (const std::uint32_t row : level(part.depth + 1).acting())
        ++counts[static_cast<std::size_t>(acting_rung(motion.particles, row))];
    motion.forces.add_over_ranks(counts);
    const auto below = std::ranges::find_if(counts, [](std::uint64_t count) { return count > 0; }) - counts.begin();
    for (const std::uint32_t row : rows_at(part.depth)) {
        if (acting_rung(motion.particles, row) != part.rung || !near.contain(x[row])) continue;
        rungs[row] = std::max(rungs[row], static_cast<double>(below));
        if (!acting_rungs_.empty()) acting_rungs_[row] = static_cast<double>(below);
    }
}

// Moves the particles of a level that are not in the level below; returns their number.
std::uint64_t HierarchicalSteps::drift(const Motion& motion, const Part& part, double time) {
    const PhaseTimer timer(motion.phases, Phase::integration);
    const std::span<const std::uint32_t> rows = rows_at(part.depth);
    const auto rungs = std::as_const(motion.particles)[rung];
    const auto x = motion.particles[position];
    const auto v = std::as_const(motion.particles)[velocity];
    return parallel_reduce(
        rows.size(), std::uint64_t{0},
        [&](std::size_t begin, std::size_t end) {
            std::uint64_t moved = 0;
            for (std::size_t k = begin; k < end; ++k) {
                if (rungs[rows[k]] != part.rung) continue;
                x[rows[k]] += time * v[rows[k]];
                ++moved;
            }
            return moved;
        },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
}

std::span<const std::uint32_t> HierarchicalSteps::rows_at(std::size_t depth) const {
    return depth == 0 ? std::span<const std::uint32_t>(all_) : levels_[depth - 1].rows();
}

}  // namespace trellis
