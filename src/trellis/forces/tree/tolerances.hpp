// The errors of the acceleration that particles can bear, by which lists open cells (relative criterion).
#pragma once

#include <span>

#include "trellis/base/phase.hpp"
#include "trellis/forces/tree/periodic_complement.hpp"
#include "trellis/forces/tree/settings.hpp"
#include "trellis/lists/walk/listed_tree.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

class Tolerances {
  public:
    // coupling: acceleration = coupling * strength / distance^2.
    Tolerances(const ForceChoice& choice, double coupling);

    // Each row can bear an error of `share` of its last acceleration, or `least`.
    struct Limits {
        double share = 0, least = 0;
    };
    // previous: the last accelerations of this rank. complement: of a periodic box; null in open space. Collective in a
    // periodic box.
    Limits limits(std::span<const double> previous, PeriodicComplement* complement, Comm& comm, Phases& phases) const;

    // The same in a periodic box for a level of individual steps, by its own particles, so that a run that is resumed
    // has the same; collective.
    Limits limits_of_level(std::span<const double> previous, const PeriodicComplement& complement,
                           const ParticleSet& level, Comm& comm) const;

    // The error that each row can bear, in a buffer of the tree; empty without a limit.
    std::span<double> of_rows(std::span<const double> previous, const Limits& limits, ListedTree& listed) const;

  private:
    Limits limits_in_box(double mean_acceleration, const ReferenceForces& forces) const;

    bool relative_;
    double per_acceleration_, coupling_;
    Opening opening_;
};

}  // namespace trellis
