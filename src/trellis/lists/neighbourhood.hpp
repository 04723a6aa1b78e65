// Who is within reach of whom: a tree of the particles, those of other ranks that come near (ghosts), and neighbour lists. Made in a construction
// step; kept in reusing steps as long as nobody can have come within reach unlisted. Several interactions may be evaluated on it, one after
// the other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/lists/ghosts.hpp"
#include "trellis/lists/neighbour_lists.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/ranks.hpp"
#include "trellis/tree/sorted_columns.hpp"

namespace trellis {

class Neighbourhood {
  public:
    // skin: by which share of the reach lists go beyond it; group_size: most i-particles that share the search for ranges.
    Neighbourhood(Search search, double skin, std::uint32_t group_size);

    // Construction step. The positions are the column of that name; they are where the region of the particles has them, or near. ranks: none for a
    // rank alone; else all that follows is collective.
    void build(const ParticleSet& particles, std::string_view positions, const Radii& radii, const Ranks* ranks,
               Phases& phases);

    // Whether the lists of the last construction have everyone who is within reach at the present positions, with these radii. Rows must be those
    // of then, in that order.
    bool holds(const ParticleSet& particles, const Radii& radii, Phases& phases) const;

    // Sends the first so many components of the own particles, by slot, to where they are ghosts. Null for a rank alone.
    std::unique_ptr<Exchange> begin_ghosts(const SortedColumns& columns, std::size_t components) const;
    // Puts what came of the ghosts behind the own particles.
    void finish_ghosts(Exchange& exchange, std::size_t components, SortedColumns& columns) const;

    const SearchTree& tree() const { return tree_; }
    const NeighbourLists& lists() const { return lists_; }
    // Whether anyone of another rank is listed for a group.
    bool meets_ghosts(std::size_t group) const;
    // How many of its particles are on this rank.
    std::size_t size() const { return tree_.size(); }

  private:
    Search search_;
    double skin_;
    std::uint32_t group_size_;
    const Ranks* ranks_ = nullptr;

    SearchTree tree_, ghost_tree_;
    Ghosts ghosts_;
    NeighbourLists lists_;
};

}  // namespace trellis
