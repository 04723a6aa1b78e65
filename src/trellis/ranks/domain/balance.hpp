// The division of space among ranks, so that all take equally long for their forces.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/domain/multisection.hpp"
#include "trellis/ranks/domain/sampling.hpp"

namespace trellis {

// The state of the division of space, for a checkpoint; empty if space is not divided yet, or not at all.
struct DomainState {
    std::vector<double> own;   // of this rank; begins with the weight of a particle
    std::vector<double> cuts;  // the same on all ranks: Multisection::values()

    bool empty() const { return own.empty(); }
    friend bool operator==(const DomainState&, const DomainState&) = default;
};

// Work is measured, as Ishiyama, Fukushige & Makino (2009) do: a particle's weight is the cost of its rank's forces
// divided by the number of its rank's particles, as an exponential average in which the latest measurement has the
// share newest: a single one depends on how the groups of a rank's tree happen to lie. Where ranks are on several
// sites, each site has slabs of its own (site_slabs.hpp).
class Balance {
  public:
    // Collective: divides the particles' region, which is the same on all ranks. cost: the cost of this rank's last
    // forces for these particles, in a unit that all ranks share; <= 0 if unknown, and then its particles weigh as much
    // as others on average. All positions are finite. The first decision counts particles only; later ones move each
    // cut by most_move of the way to the next at most, unless the shape changes.
    const Multisection& decide(Comm& comm, const ParticleSet& particles, double cost);

    // The last decision; none before the first.
    const std::optional<Multisection>& decision() const { return decision_; }

    // The state for a checkpoint. After restore() the next decision has the bits it would have had. Throws InputError
    // if the state is not a balance's.
    DomainState state() const;
    void restore(const DomainState& state);

    static constexpr double samples_per_rank = 1000, most_samples = 1 << 18, most_move = 0.5, newest = 0.5;
    // The shape changes only for one whose surface is smaller by this factor: all cuts then jump.
    static constexpr double worth_changing = 1.25;

  private:
    void weigh(std::size_t particles, double cost);
    std::vector<Sample> own_samples(Comm& comm, const ParticleSet& particles) const;
    Multisection next(const Comm& comm, std::vector<Sample> samples, const Region& region) const;

    double weight_ = 0;  // of a particle on this rank; 0: unknown
    std::optional<Multisection> decision_;
};

}  // namespace trellis
