// Who acts with whom: a tree of the particles, what its cells hold, and the interaction lists. All of it is made in a construction
// step; in a reusing step (paper, section 4.2) tree and lists stay, and only positions and moments are those of the moment.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/lists/interaction_list.hpp"
#include "trellis/lists/opening.hpp"
#include "trellis/lists/walk.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/tree/moments.hpp"
#include "trellis/tree/sorted_columns.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

class ListedTree {
  public:
    // fields: what the interaction reads, the position first. strength: the component that cells are weighted with (see Moments).
    ListedTree(std::vector<FieldInfo> fields, std::size_t strength, const Opening& opening, std::uint32_t group_size,
               std::uint32_t leaf_size);

    // Construction step: keys, sort, tree, columns in its order, moments. The positions are the column of that name.
    void build(const ParticleSet& particles, std::string_view positions, Phases& phases);

    // Begins the lists; tolerance holds the error that each row can bear (see Opening), or is empty: any error. Whoever calls this makes
    // the branches too, all at once or as it needs them. The walk must not outlive this.
    Walk start_lists(std::span<const double> tolerance);

    // Reusing step: columns and moments of the present positions. Rows must be those of the construction step, in that order.
    void refresh(const ParticleSet& particles, Phases& phases);

    // Whether the lists still hold: see still_accepted.
    bool lists_hold(double skin, Phases& phases);

    const Tree& tree() const { return tree_; }
    const SortedColumns& columns() const { return columns_; }
    const Moments& moments() const { return moments_; }
    const InteractionLists& lists() const { return lists_; }
    const Opening& opening() const { return opening_; }
    std::size_t strength() const { return strength_; }

  private:
    void read(const ParticleSet& particles, std::string_view positions, Phases& phases);

    std::vector<FieldInfo> fields_;
    std::size_t strength_;
    Opening opening_;
    std::uint32_t group_size_, leaf_size_;

    Tree tree_;
    SortedColumns columns_;
    Moments moments_;
    InteractionLists lists_;
    std::vector<double> tolerance_;  // of each sorted slot
    std::vector<CellSize> sizes_;    // of each cell, when the lists were made
};

}  // namespace trellis
