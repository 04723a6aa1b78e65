// The division of space among ranks that balances the time of their forces.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/domain/multisection.hpp"
#include "trellis/ranks/domain/sampling.hpp"

namespace trellis {

// The state of the division of space, for a checkpoint; empty before the first division.
struct DomainState {
    std::vector<double> own;   // values of this rank, beginning with the weight of a particle
    std::vector<double> cuts;  // the same on all ranks: Multisection::values()

    bool empty() const { return own.empty(); }
    friend bool operator==(const DomainState&, const DomainState&) = default;
};

// Divides space by measured work, as Ishiyama, Fukushige & Makino (2009) do: a particle's weight is the cost of its
// rank's forces divided by the number of its rank's particles. Weights are exponential averages in which the latest
// measurement has the share `newest`, since a single one depends on the accidental positions of the groups of a rank's
// tree. Each of several sites has slabs of its own (shape.hpp).
class Balance {
  public:
    // Divides the particles' region, which is the same on all ranks; collective. cost: of this rank's last forces for
    // these particles, in a unit that all ranks share; <= 0 if unknown, and then the particles have the mean weight of
    // all others. All positions are finite. The first decision counts particles only; later ones move each cut by at
    // most most_move of the distance to the next cut, unless the shape changes.
    const Multisection& decide(Comm& comm, const ParticleSet& particles, double cost);

    // The last decision; empty before the first.
    const std::optional<Multisection>& decision() const { return decision_; }

    // The state for a checkpoint. After restore() the next decision has the bits that it would have had without the
    // checkpoint. restore throws InputError for a state that no balance gave.
    DomainState state() const;
    void restore(const DomainState& state);

    static constexpr double samples_per_rank = 1000, most_samples = 1 << 18, most_move = 0.5, newest = 0.5;
    // The shape changes, and all cuts jump, only if the surface becomes smaller by this factor.
    static constexpr double worth_changing = 1.25;

  private:
    void weigh(std::size_t particles, double cost);
    std::vector<Sample> own_samples(Comm& comm, const ParticleSet& particles) const;
    Multisection next(const Comm& comm, std::vector<Sample> samples, const Region& region) const;

    double weight_ = 0;  // the weight of a particle on this rank; 0: unknown
    std::optional<Multisection> decision_;
};

}  // namespace trellis
