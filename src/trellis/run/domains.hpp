// The domains of the ranks: from time to time space is cut again, so that all ranks take equally long, and each
// particle is sent to the rank in whose domain it is.
#pragma once

#include <memory>

#include "trellis/base/phase.hpp"
#include "trellis/ranks/domain/balance.hpp"
#include "trellis/ranks/domain/identities.hpp"
#include "trellis/ranks/domain/ranks.hpp"
#include "trellis/run/all_forces.hpp"

namespace trellis {

class Domains {
  public:
    explicit Domains(std::shared_ptr<Comm> comm) : ranks_{std::move(comm), {}} {}

    Comm& comm() const { return *ranks_.comm; }
    bool alone() const { return comm().size() == 1; }
    bool distributed() const { return alone() || balance_.decision().has_value(); }
    // The ranks for forces, once particles are distributed; null for a rank alone.
    const Ranks* ranks() const { return alone() ? nullptr : &ranks_; }

    // From now on levels of individual steps may be computed on each site alone. Collective.
    void part_sites();
    // The ranks of this rank's site, all of them on one site; ranks_of_site is null for a rank alone.
    Comm& site() const { return *of_site().comm; }
    const Ranks* ranks_of_site() const { return site().size() == 1 ? nullptr : &of_site(); }

    // The costs of the last forces; for `own` see Balance.
    void note_costs(const Costs& costs) { costs_ = costs; }
    const Costs& costs() const { return costs_; }
    // The largest cost of a rank over the mean, the same on all ranks; 0 if unknown.
    double imbalance() const;
    // Sends particles to the ranks in whose domains they are; space is cut again before, unless the imbalance is at
    // most even_enough. Collective. Throws InputError if the ranks' columns or regions differ, and the first time if
    // two particles have the same id.
    void distribute(ParticleSet& particles, Phases& phases);
    // To be called after the forces that follow. Collective. Throws RunError if the last distribution lost or doubled a
    // particle, which is known on several sites only then.
    void check_arrival() { arrival_.finish(); }

    // The state for a checkpoint: that of the balance, and the last costs; empty before particles are distributed, and
    // for a rank alone. restore returns false, and changes nothing, if the state is empty or of another number of
    // ranks. It throws InputError for a state that state() cannot have returned.
    DomainState state() const;
    bool restore(const DomainState& state);

    static constexpr double even_enough = 1.03;

  private:
    // The last cuts, if they are still even enough; null if space must be cut again.
    const Multisection* lasting_cuts() const;
    const Multisection& cut_again(const ParticleSet& particles, Phases& phases);
    const Ranks& of_site() const { return on_site_.comm == nullptr ? ranks_ : on_site_; }
    void set_shape(const Shape& shape);
    // Sends particles to the ranks in whose domains they are.
    void send(ParticleSet& particles, const Multisection& cuts, Phases& phases);

    Ranks ranks_;
    Ranks on_site_;  // without a communicator: on one site, and before part_sites
    Balance balance_;
    Costs costs_;
    ArrivalCheck arrival_;
};

}  // namespace trellis
