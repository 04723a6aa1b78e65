// A tree of the particles, the moments of its cells, and the interaction lists. All are built in a construction step;
// in a reusing step (paper, section 4.2) tree and lists are kept, and only positions and moments are updated. Parts of
// other ranks' trees are imported; their interactions with the local particles are in separate lists, or in the same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/lists/walk/interaction_list.hpp"
#include "trellis/lists/walk/opening.hpp"
#include "trellis/lists/walk/walk.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/tree/moments.hpp"
#include "trellis/tree/sorted_columns.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

// Extent, weight and tolerance of the particles of all ranks together.
struct Scale {
    double side = 0;    // longest side of the box around the particles
    double weight = 0;  // sum of the absolute weights
    // Root mean square of the particles' tolerances (see Opening), for forces that cancel.
    double tolerance = any_error;
};

class ListedTree {
  public:
    // fields: those that the interaction reads, the position first; their first source_components components belong to
    // a j-particle. strength: the component that cells are weighted with. softening: the component that is a softening,
    // if any (see Moments).
    ListedTree(std::vector<FieldInfo> fields, std::size_t source_components, std::size_t strength,
               const Opening& opening, std::uint32_t group_size, std::uint32_t leaf_size,
               std::optional<std::size_t> softening = std::nullopt);

    // Construction step: keys, sort, tree, columns in tree order, moments, without imported cells. positions: the name
    // of their column. tolerance: the tolerance of each row (see Opening); empty: any error is allowed. predictions: of
    // fields that are read ahead of their time.
    void build(const ParticleSet& particles, std::string_view positions, std::span<const double> tolerance,
               Phases& phases, std::span<const Prediction> predictions = {});
    // Room for the tolerances of all rows, in memory that is free until lists are begun.
    std::span<double> room_for_tolerances(std::size_t rows) {
        Workspace& space = own_.walk_space.table;
        space.start(Workspace::bytes_of<double>(rows));
        return {space.take<double>(rows), rows};
    }
    // Appends imported cells and particles to the local ones, replacing those imported before.
    void add_imported(const ImportedCells& imported);

    // shifts: of the images of the local cells that act, zero, the cells themselves, first (see nearest_images); zero
    // alone if images are imported.
    void set_images(std::span<const Vec3<double>> shifts) { own_.images.assign(shifts.begin(), shifts.end()); }

    // Begin the interaction lists of the local particles with local cells, imported cells, or both. The caller makes
    // the branches, all at once or as it needs them. The walk must not outlive this object, nor a change of the tree.
    Walk start_local_lists() { return start(own_, true, false); }
    Walk start_imported_lists() { return start(imported_trees_, false, true); }
    Walk start_all_lists() { return start(own_, true, true); }

    // Reusing step: updates columns and moments to the present positions. The rows must be those of the construction
    // step, in the same order.
    void refresh(const ParticleSet& particles, Phases& phases, std::span<const Prediction> predictions = {});
    // Updates imported cells and particles, after refresh; the cells are those of the construction step.
    void refresh_imported(const ImportedCells& imported);

    // True if the lists are still valid (see still_accepted).
    bool local_lists_valid(double skin, Phases& phases) { return hold(own_, skin, phases); }
    bool imported_lists_valid(double skin, Phases& phases) { return hold(imported_trees_, skin, phases); }

    const Tree& tree() const { return tree_; }
    const SortedColumns& columns() const { return columns_; }
    const Moments& moments() const { return moments_; }
    // The lists begun by start_local_lists or start_all_lists, and those begun by start_imported_lists.
    const InteractionLists& lists() const { return own_; }
    const InteractionLists& imported_lists() const { return imported_trees_; }
    const Opening& opening() const { return opening_; }
    std::size_t strength() const { return strength_; }
    std::optional<std::size_t> softening() const { return softening_; }
    std::size_t source_components() const { return source_components_; }
    std::span<const CellSize> sizes() const { return sizes_; }
    // The tolerances of each local cell; empty if any error is allowed.
    std::span<const ToleranceRange> tolerances() const { return tolerances_; }

    // The scale of the local particles, or the one set, that of all ranks, until the next build.
    const Scale& scale() const { return scale_; }
    void set_scale(const Scale& scale) { scale_ = scale; }

  private:
    void read(const ParticleSet& particles, std::string_view positions, std::span<const Prediction> predictions,
              Phases& phases);
    Walk start(InteractionLists& lists, bool own, bool imported);
    bool hold(InteractionLists& lists, double skin, Phases& phases);

    std::vector<FieldInfo> fields_;  // the first has the name of the positions that were read last
    std::size_t source_components_, strength_;
    Opening opening_;
    std::uint32_t group_size_, leaf_size_;
    std::optional<std::size_t> softening_;

    Tree tree_;
    SortedColumns columns_;
    Moments moments_;
    InteractionLists own_, imported_trees_;
    Scale scale_;
    std::vector<ToleranceRange> tolerances_;  // of each local cell
    std::vector<CellSize> sizes_;             // of each cell, when the lists were made; empty for Receiver::cell
    std::vector<std::uint32_t> roots_;        // of the walk begun last
};

}  // namespace trellis
