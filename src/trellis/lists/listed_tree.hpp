// Who acts with whom: a tree of the particles, what its cells hold, and the interaction lists. All of it is made in a construction
// step; in a reusing step (paper, section 4.2) tree and lists stay, and only positions and moments are those of the moment.
// Parts of other ranks' trees are grafted on it; what they do to the own particles stands in lists of its own, or in the same.
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

// What the particles of all ranks span and weigh together.
struct Scale {
    double side = 0;    // longest side of the box around them
    double weight = 0;  // sum of the absolute weights
};

class ListedTree {
  public:
    // fields: what the interaction reads, the position first; the first source_components of their components are a j-particle's. strength:
    // the component that cells are weighted with (see Moments).
    ListedTree(std::vector<FieldInfo> fields, std::size_t source_components, std::size_t strength,
               const Opening& opening, std::uint32_t group_size, std::uint32_t leaf_size);

    // Construction step: keys, sort, tree, columns in its order, moments; nothing grafted. The positions are the column of that name.
    // tolerance holds the error that each row can bear (see Opening), or is empty: any error.
    void build(const ParticleSet& particles, std::string_view positions, std::span<const double> tolerance,
               Phases& phases);
    // Puts other ranks' cells and particles behind the own ones, in place of former ones.
    void graft(const Graft& graft);

    // Begin lists of what acts on the own particles: own cells, grafted ones, or both. Whoever calls this makes the branches too, all at
    // once or as it needs them. The walk must not outlive this, nor the next change of the tree.
    Walk start_own_lists() { return start(own_, true, false); }
    Walk start_grafted_lists() { return start(grafted_, false, true); }
    Walk start_all_lists() { return start(own_, true, true); }

    // Reusing step: columns and moments of the present positions. Rows must be those of the construction step, in that order.
    void refresh(const ParticleSet& particles, Phases& phases);
    // The same for what is grafted, after refresh: the cells are those of the construction step.
    void refresh_graft(const Graft& graft);

    // Whether the lists still hold: see still_accepted.
    bool own_lists_hold(double skin, Phases& phases) { return hold(own_, skin, phases); }
    bool grafted_lists_hold(double skin, Phases& phases) { return hold(grafted_, skin, phases); }

    const Tree& tree() const { return tree_; }
    const SortedColumns& columns() const { return columns_; }
    const Moments& moments() const { return moments_; }
    // By start_own_lists or start_all_lists, and by start_grafted_lists.
    const InteractionLists& lists() const { return own_; }
    const InteractionLists& grafted_lists() const { return grafted_; }
    const Opening& opening() const { return opening_; }
    std::size_t strength() const { return strength_; }
    std::size_t source_components() const { return source_components_; }
    std::span<const CellSize> sizes() const { return sizes_; }
    // One an own cell, or none.
    std::span<const ToleranceRange> tolerances() const { return tolerances_; }

    // Of the own particles, unless set to that of all ranks; until the next build.
    const Scale& scale() const { return scale_; }
    void set_scale(const Scale& scale) { scale_ = scale; }

  private:
    void read(const ParticleSet& particles, std::string_view positions, Phases& phases);
    Walk start(InteractionLists& lists, bool own, bool grafted);
    bool hold(InteractionLists& lists, double skin, Phases& phases);

    std::vector<FieldInfo> fields_;
    std::size_t source_components_, strength_;
    Opening opening_;
    std::uint32_t group_size_, leaf_size_;

    Tree tree_;
    SortedColumns columns_;
    Moments moments_;
    InteractionLists own_, grafted_;
    Scale scale_;
    std::vector<ToleranceRange> tolerances_;  // of each own cell
    std::vector<CellSize> sizes_;             // of each cell, when the lists were made
    std::vector<std::uint32_t> roots_;        // of the walk that was begun last
};

}  // namespace trellis
