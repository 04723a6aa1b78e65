// A neighbourhood kept over steps, as long as its lists hold, and over checkpoints.
#pragma once

#include <cstdint>

#include "trellis/forces/force.hpp"
#include "trellis/forces/kept_lists.hpp"
#include "trellis/lists/neighbourhood.hpp"

namespace trellis {

class ReusedNeighbourhood {
  public:
    // keeps: whether lists are to serve further steps.
    ReusedNeighbourhood(Search search, double skin, std::uint32_t group_size, bool keeps)
        : neighbourhood_(search, skin, group_size), keeps_(keeps) {}

    // As KeptLists::attach.
    void attach(ParticleSet& particles, std::size_t number);

    // For a step: the lists of an earlier one if they may be reused and hold for these radii, else new ones.
    void prepare(ParticleSet& particles, const Radii& radii, const Ranks* ranks, bool may_reuse, Phases& phases);
    // Within the same step, after radii have changed: whether new lists had to be made.
    bool follow(ParticleSet& particles, const Radii& radii, const Ranks* ranks, Phases& phases);

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
