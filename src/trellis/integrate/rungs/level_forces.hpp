// The forces among particles of short steps, and the ranks that share them: those of one site, whose particles alone
// act on each other in levels. Collective calls are those of these ranks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/integrate/rungs/balls.hpp"
#include "trellis/integrate/rungs/level_choice.hpp"
#include "trellis/integrate/rungs/longest_step.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

// The number of particles of a level.
struct LevelSize {
    std::uint64_t all = 0;   // of all ranks
    std::uint64_t most = 0;  // of the rank with the most, the first of several
    int rank = 0;            // that rank
};

class LevelForces {
  public:
    LevelForces() = default;
    LevelForces(const LevelForces&) = delete;
    LevelForces& operator=(const LevelForces&) = delete;
    virtual ~LevelForces() = default;

    // The names of the columns that compute makes, accelerations among them.
    virtual std::span<const std::string> results() const = 0;
    // The quantities that kicks change, and the results by which they do: velocity first.
    virtual std::span<const Evolution> kicks() const = 0;
    virtual const LevelCosts& costs() const = 0;
    // The distance beyond which pairs of some force do not interact, the shortest of all forces; infinite if none ends.
    virtual double range() const = 0;

    // Makes the results in `level` those of its particles on each other, of all ranks; collective. previous: the
    // magnitude of each particle's acceleration by all others, to which the accuracy of the forces refers.
    virtual void compute(ParticleSet& level, std::span<const double> previous, double time) = 0;

    // Computes the forces that act on particles at the ends of their steps, from all: for `rows`, rising, whose steps
    // end at `time`. All particles have their state of that time. Collective.
    virtual void compute_at_own_steps(ParticleSet& all, std::span<const std::uint32_t> rows, double time,
                                      const RungTimes& rungs) = 0;
    // Adds what these forces, as they were computed last, give to a result of `rows` of all; sums: its components of
    // each of these rows.
    virtual void add_at_own_steps(const ParticleSet& all, std::span<const std::uint32_t> rows, std::string_view result,
                                  std::span<double> sums) const = 0;

    // Lowers steps[k] to `scale` times the longest step that forces allow the particle in row rows[k] of all particles
    // at `time`, all but those at particles' own steps.
    virtual void allowed_steps(const ParticleSet& all, double time, double scale, std::span<const std::uint32_t> rows,
                               std::span<double> steps) const = 0;
    // The same by forces at particles' own steps, whatever the scale.
    virtual void allowed_at_own_steps(const ParticleSet& all, double time, std::span<const std::uint32_t> rows,
                                      std::span<double> steps) const = 0;
    // As allowed_steps for all particles of a level, by the forces that compute makes.
    virtual void allowed_steps_of_level(const ParticleSet& level, double time, double scale,
                                        std::span<double> steps) const = 0;

    // The ranks that share levels. While this rank is alone, it is the only one, and its particles act on each other
    // alone.
    virtual Comm& ranks() const = 0;
    virtual void set_alone(bool alone) = 0;
    // True if this rank asks to abandon the step. Never over several sites: each would have to wait for the others.
    virtual bool asks_to_abandon() const = 0;

    // True if there are other sites, whose particles act on those here by the forces of all alone.
    virtual bool has_other_sites() const = 0;
    // on_any_rank of the ranks of all sites, which all call it.
    virtual bool on_any_site(bool here) = 0;

    // The rest is collective.
    // Makes the counts the sum of those of all ranks.
    template <class Counts>
    void add_over_ranks(Counts& counts) {
        counts = all_reduce(ranks(), counts, [](const Counts& a, const Counts& b) { return added(a, b); });
    }
    // Makes the balls those of all ranks.
    void gather_from_ranks(std::vector<Ball>& balls);
    // The size of a level that has this number of particles here. Throws StepAbandoned on all ranks if one asks for it.
    LevelSize size_over_ranks(std::uint64_t here);
    // True on all ranks if it is true on one. Throws as size_over_ranks.
    bool on_any_rank(bool here) { return size_over_ranks(here ? 1 : 0).all > 0; }
};

}  // namespace trellis
