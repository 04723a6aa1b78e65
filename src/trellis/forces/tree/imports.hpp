// Particles and cells of other ranks, or of images in a periodic box, that act on the local particles: from sending to
// their place behind the local tree.
#pragma once

#include <span>

#include "trellis/base/phase.hpp"
#include "trellis/lists/essential/essential_exchange.hpp"
#include "trellis/lists/walk/listed_tree.hpp"
#include "trellis/ranks/domain/ranks.hpp"

namespace trellis {

// The kind of a step: it makes lists, or reuses those of an earlier one (paper, section 4.2).
enum class StepKind { construct, reuse };

class Imports {
  public:
    // digits: see CompressedTree; 0: values travel as they are. keeps_lists: reusing steps will follow.
    Imports(LetScheme scheme, int digits, bool keeps_lists) : essential_(scheme, digits), keeps_lists_(keeps_lists) {}

    // The ranks of the present step; null for a rank alone that imports nothing.
    void set_ranks(const Ranks* ranks) { ranks_ = ranks; }
    bool any() const { return ranks_ != nullptr; }
    // The shifts of the images that act: see EssentialExchange.
    void set_images(std::span<const Vec3<double>> shifts, bool own) { essential_.set_images(shifts, own); }

    // Begins to send what other ranks need. moments: those of the local cells. Collective, like all that follows.
    void begin(StepKind kind, const ListedTree& listed, const CellMoments& moments, Phases& phases);
    // Moves messages along without waiting. True if all have arrived. One thread at a time.
    bool progress() { return essential_.progress(); }
    // Waits for the imports and puts them behind the local tree. Null if nothing was imported, or if this rank has no
    // particles to act on.
    const ImportedCells* take(ListedTree& listed, const CellMoments& moments, Phases& phases);
    // Frees the result of take, which has been copied to the tree, unless a reusing step may follow.
    void drop();
    // The kind of the last step that was begun.
    StepKind kind() const { return kind_; }

    // True if `here` is true on all ranks.
    bool on_all_ranks(bool here) const;

  private:
    EssentialExchange essential_;
    bool keeps_lists_;
    const Ranks* ranks_ = nullptr;
    StepKind kind_ = StepKind::construct;
};

}  // namespace trellis
