// Which rank has which part of space, so that all take equally long for their forces.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm.hpp"
#include "trellis/ranks/multisection.hpp"
#include "trellis/ranks/sampling.hpp"

namespace trellis {

// What a checkpoint keeps of how space is divided; empty if it is not yet, or not at all.
struct DomainState {
    std::vector<double> own;   // of this rank; begins with the weight of a particle
    std::vector<double> cuts;  // the same on all ranks: Multisection::values()

    bool empty() const { return own.empty(); }
    friend bool operator==(const DomainState&, const DomainState&) = default;
};

// Work is measured, as Ishiyama, Fukushige & Makino (2009) do: a particle weighs what its rank's forces cost divided by its rank's particles,
// averaged with the weights of before, each of which counts less than the next by a share of newest: a single one hangs on how the groups of a
// rank's tree happen to lie.
class Balance {
  public:
    // All ranks together, for the particles' region, which is the same on all. cost: what this rank's last forces took for these particles, in a unit that all ranks share; <= 0 if unknown, and then
    // its particles weigh as much as others on average. All positions are finite. The first decision counts particles only; later ones move each
    // cut by most_move of the way to the next at most, unless the shape changes.
    const Multisection& decide(Comm& comm, const ParticleSet& particles, double cost);

    // The last decision; none before the first.
    const std::optional<Multisection>& decision() const { return decision_; }

    // For a checkpoint. After restore() the next decision has the bits it would have had. Throws InputError if the state is none.
    DomainState state() const;
    void restore(const DomainState& state);

    static constexpr double samples_per_rank = 1000, most_samples = 1 << 18, most_move = 0.5, newest = 0.5;
    // The shape changes only for one whose surface is smaller by this: all cuts then jump.
    static constexpr double worth_changing = 1.25;

  private:
    void weigh(std::size_t particles, double cost);
    std::vector<Sample> own_samples(Comm& comm, const ParticleSet& particles) const;
    Multisection next(std::vector<Sample> samples, const Region& region, int ranks) const;

    double weight_ = 0;  // of a particle on this rank; 0: unknown
    std::optional<Multisection> decision_;
};

}  // namespace trellis
