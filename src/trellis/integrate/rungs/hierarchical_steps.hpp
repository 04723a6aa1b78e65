// Individual time steps in powers of two, by a splitting of the Hamiltonian into levels.
//
// With V_r the potential energy of the particles of level r, those of rungs >= r, among each other, the Hamiltonian is
// T + (V_0 - V_1) + (V_1 - V_2) + ... A step of level r kicks its particles by V_r - V_(r+1), half before and half
// after two steps of level r + 1. Particles of rung r drift once in it, and act on deeper ones by these kicks alone:
// momentum is conserved, and steps that do not change are symplectic (Pelupessy et al. 2012; Springel et al. 2021,
// section 4). Steps of fourth order have a third kick, between the two steps of level r + 1.
//
// Over several sites V_r, r > 0, is the sum over sites of that of each one's particles among each other: a site's
// levels are its own, and pairs of particles on different sites are kicked by V_0 alone. So sites exchange messages
// once in a longest step, whatever rungs each has.
//
// On several ranks a level with few particles on all but one rank is taken by that rank alone (level_on_one_rank.hpp).
//
// Where other forces act at the ends of particles' own steps (own_steps.hpp), a particle may need shorter steps for
// these than for its forces in levels: then it acts in the levels of rungs up to its acting rung alone, and is kicked
// by them with longer steps than by the others.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/integrate/rungs/balls.hpp"
#include "trellis/integrate/rungs/level.hpp"
#include "trellis/integrate/rungs/middle_kick.hpp"
#include "trellis/integrate/rungs/own_steps.hpp"
#include "trellis/integrate/step_clock.hpp"

namespace trellis {

// The particles of this rank in the last longest step.
struct RungUse {
    RungCounts particles{};           // of each rung, at its beginning
    std::uint64_t updates = 0;        // steps of all particles together
    std::uint64_t level_updates = 0;  // forces on a particle that acts in a level, summed
};

class HierarchicalSteps {
  public:
    // eta: the accuracy of steps, which are as the square root of it; above 0. With 0.025 they are what the forces
    // allow. order: 2, or 4 for forces that are sums over pairs in open space (middle_kick.hpp). Throws InputError for
    // a value out of range.
    explicit HierarchicalSteps(double eta, unsigned order = 2);

    // Adds the field rung.
    static void attach(ParticleSet& particles);

    // The share of the step under way of the clock, at most 1, in which all particles together take the least work for
    // the time that passes: a longest step for it (longest_step.hpp). begin is called next, with the same particles.
    // Collective.
    double cheapest_length(const ParticleSet& particles, const StepClock& clock, LevelForces& forces);

    // Begins the step under way of the clock: chooses the rungs of all particles by their state and the forces on them,
    // which are those of its beginning. Collective. Throws InputError if no force limits the step of any particle,
    // RunError for a particle whose step is below the deepest rung's.
    void begin(ParticleSet& particles, const StepClock& clock, LevelForces& forces, Phases& phases);

    // Moves all particles by that step, with all their kicks but those by the forces of all particles. To be called
    // after the first of those kicks. Rows stay in their order since begin. Collective. Throws RunError as begin.
    // own_steps: if forces act at particles' own steps; else null.
    void advance(ParticleSet& particles, const StepClock& clock, LevelForces& forces, Phases& phases,
                 OwnSteps* own_steps = nullptr);

    const RungUse& use() const { return use_; }
    unsigned order() const { return middle_kick_ ? 4 : 2; }
    // The first and the last kick of a step, in halves of it.
    double outer_kick() const { return middle_kick_ ? MiddleKick::outer : 1; }

  private:
    // The number-th of the 2^rung steps of a level in the longest step. depth: the number of the level, 0 being all
    // particles; a rung without particles has no level.
    struct Part {
        unsigned rung;
        std::uint32_t number;
        std::size_t depth;

        double begin_share() const;
        double end_share() const;
        // The first or second half of it, a step of the next rung at this depth.
        Part half(std::uint32_t which, std::size_t at_depth) const { return {rung + 1, 2 * number + which, at_depth}; }
    };
    struct Halves {
        std::uint32_t first, last;  // 0 or 1
    };
    struct Motion {
        ParticleSet& particles;
        const StepClock& clock;
        LevelForces& forces;
        Phases& phases;
        OwnSteps* own_steps;
    };
    void note_rows(const ParticleSet& particles);
    void find_allowed_steps(const ParticleSet& particles, double time, std::span<const std::uint32_t> rows,
                            LevelForces& forces);
    void advance(const Motion& motion, const Part& part, bool choose);
    void advance_below(const Motion& motion, const Part& part, const Halves& halves);
    void advance_halves(const Motion& motion, const Part& part, const Halves& halves);
    bool goes_to_one_rank(const Motion& motion, std::size_t depth) const;
    // Steps of the same accuracy and order, without particles: for levels from `depth` on.
    HierarchicalSteps of_deeper_levels(std::size_t depth) const;
    void advance_within(const Motion& motion, const Part& part, const StepFactors& factors, bool divided);
    void kick_in_the_middle(MiddleKick& kick, const Motion& motion, const Part& part, double length, bool divided);
    bool any_of_rung(const Motion& motion, const Part& part) const;
    void compute(const Motion& motion, std::size_t depth, double share);
    void compute_at_own_steps(const Motion& motion, double share);
    // The first rung of those that may have no level. The forces of all particles are computed in any case: those of
    // rung 0 keep it.
    static unsigned first_choice(const Part& part);
    void choose_rungs(const Motion& motion, const Part& part);
    void choose_acting_rungs(const Motion& motion, const Part& part);
    // Throws RunError where the step of a particle of this level is too long (step_rule.hpp).
    void check_moves(const Motion& motion, const Part& part) const;
    double acting_rung(const ParticleSet& particles, std::uint32_t row) const;
    void note_rungs(const ParticleSet& particles);
    void check_limited(LevelForces& forces);
    bool form_level_below(const Motion& motion, const Part& part);
    bool join_what_acts_strongly(const Motion& motion, const Part& part);
    std::vector<Ball> where_slow_act_strongly(const Motion& motion, const Part& part);
    std::vector<Ball> around_pulled_strongly(const Motion& motion, const Part& part);
    void find_forces_of_other_sites(const Motion& motion);
    void join_level_below(const Motion& motion, const Part& part, const Balls& near);
    void kick_from_begin(const Motion& motion, const Part& part, double time, bool divided);
    std::uint64_t drift(const Motion& motion, const Part& part, double time);
    void kick_to_end(const Motion& motion, const Part& part, double time);
    std::span<const std::uint32_t> rows_at(std::size_t depth) const;
    Level& level(std::size_t depth) { return levels_[depth - 1]; }

    double scale_;                           // of the steps that forces allow
    std::optional<MiddleKick> middle_kick_;  // of order 4
    std::vector<Level> levels_;              // from depth 1 on: at depth 0 are all particles
    Level all_of_site_;                      // over several sites: all particles of this one
    bool other_sites_known_ = false;         // what others add in all_of_site_ is known, of the step under way
    std::vector<double> ends_;               // of the step under way at each depth, in longest steps
    std::vector<std::uint32_t> all_;         // 0, 1, ...
    std::vector<double> allowed_;            // of each row whose rung is chosen
    bool allowed_of_all_known_ = false;      // by cheapest_length, for the step that begins next
    bool limited_ = false;                   // a force has limited the step of a particle
    std::vector<double> acting_rungs_;       // of each row, at most its rung; empty: its rung
    RungUse use_;
};

}  // namespace trellis
