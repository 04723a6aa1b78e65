// The walk, which makes interaction lists from tree and moments.
#pragma once

#include <cstdint>
#include <span>

#include "trellis/lists/walk/interaction_list.hpp"
#include "trellis/lists/walk/walk_table.hpp"

namespace trellis {

// Walks the tree for all targets at once, from the root: cells that are neither accepted nor opened for every particle
// of a target are left to its two halves, which thus share the walk above them. A group is the largest cell of at most
// group_size particles, with similar tolerances for Receiver::cell (see Opening), or a leaf.
//
// The lists are the same for any number of threads; with Receiver::particle they name, for each group, exactly the
// cells that a walk for that group alone would accept.
class Walk {
  public:
    // Makes the trunk of the lists, whose memory is reused, and the begins of its branches. roots: the cells that act,
    // at each of the lists' images, on all local particles. sizes, tolerances: see WalkTable. All arguments outlive the
    // walk.
    Walk(const WalkCells& cells, std::span<const CellSize> sizes, const Opening& opening, std::uint32_t group_size,
         std::span<const ToleranceRange> tolerances, std::span<const std::uint32_t> roots, InteractionLists& lists);

    // Makes branch `number` in `made`, which has no targets yet and need not belong to the lists. Calls under way at
    // the same time have different numbers `thread`.
    void make_branch(std::size_t number, int thread, Branch& made);
    // Makes the branches [begin, end) of lists.branches(). They do not depend on each other.
    void make_branches(std::size_t begin, std::size_t end);
    void make_all_branches() { make_branches(0, lists_.branches().size()); }

  private:
    using Visit = WalkSpace::Visit;

    // The cells that are tested against a target.
    struct Candidates {
        const IndexBuffer& cells;
        std::span<const WalkSpace::OfImage> images;
    };

    void visit(Branch& branch, Visit at, const Candidates& candidates, WalkSpace::Level* level, bool trunk);
    void classify_image(Branch& branch, const WalkTarget& target, std::uint32_t image,
                        std::span<const std::uint32_t> candidates, WalkSpace::Level& level) const;
    void start_branch(Visit visit, const WalkSpace::Undecided& candidates);

    std::span<const Cell> cells_;
    const Opening& opening_;
    std::uint32_t group_size_, branch_size_;
    InteractionLists& lists_;
    WalkSpace& space_;  // of the lists
    WalkTable table_;
};

}  // namespace trellis
