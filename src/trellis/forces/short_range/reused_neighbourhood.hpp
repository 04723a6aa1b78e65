// A neighbourhood kept over steps, as long as its lists are valid, and over checkpoints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/forces/kept_lists.hpp"
#include "trellis/lists/neighbours/neighbourhood.hpp"

namespace trellis {

class ReusedNeighbourhood {
  public:
    // keeps: true if lists are to serve further steps.
    ReusedNeighbourhood(Search search, double skin, std::uint32_t group_size, bool keeps)
        : neighbourhood_(search, skin, group_size), keeps_(keeps) {}

    // See KeptLists::attach.
    void attach(ParticleSet& particles, std::size_t number);

    // Prepares a step: takes the lists of an earlier one if they may be reused and are valid for these radii, else
    // rebuilds them.
    void prepare(ParticleSet& particles, const Radii& radii, const Ranks* ranks, bool may_reuse, Phases& phases);
    // Rebuilds lists that are no longer valid after radii have changed within the step. True if they had to be rebuilt.
    bool follow(ParticleSet& particles, const Radii& radii, const Ranks* ranks, Phases& phases);

    // Discards the lists of a failed step, which must not serve when it is repeated: those noted before it are rebuilt.
    void forget() { have_lists_ = false; }
    // The columns that lists are noted in; none if no lists are kept.
    std::vector<std::string> kept_columns() const { return kept_.columns(); }

    const Neighbourhood& lists() const { return neighbourhood_; }
    const ListUse& use() const { return use_; }

  private:
    bool holds(const ParticleSet& particles, const Radii& radii, const Ranks* ranks, Phases& phases);
    void construct(ParticleSet& particles, const Radii& radii, const Ranks* ranks, Phases& phases);

    Neighbourhood neighbourhood_;
    bool keeps_;
    KeptLists kept_;
    ListUse use_;
    bool have_lists_ = false;
    std::uint64_t arrangement_ = 0;  // of the rows that the lists are for
};

}  // namespace trellis
