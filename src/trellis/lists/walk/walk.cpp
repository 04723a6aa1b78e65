#include "trellis/lists/walk/walk.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

// Enough branches for any number of threads to share the work evenly.
constexpr std::uint32_t branches_wanted = 512;

}  // namespace

Walk::Walk(const Tree& tree, const Moments& moments, std::span<const CellSize> sizes, const Opening& opening,
           std::uint32_t group_size, std::span<const ToleranceRange> tolerances, std::span<const std::uint32_t> roots,
           InteractionLists& lists)
    : cells_(tree.cells()),
      opening_(opening),
      group_size_(group_size),
      branch_size_(cells_.empty() ? 0 : std::max<std::uint32_t>(group_size, cells_[0].count / branches_wanted)),
      lists_(lists),
      space_(lists.walk_space),
      table_(tree, moments, sizes, tolerances, space_.table) {
    space_.starts.clear();
    space_.candidates.clear();
    space_.piles.resize(static_cast<std::size_t>(thread_count()));
    lists.trunk.clear();
    if (tree.local_cells() > 0) visit(lists.trunk, {0, 0, false}, roots, space_.piles[0].data(), true);
    lists.set_branches(space_.starts.size());
}

void Walk::make_branch(std::size_t number, int thread, Branch& made) {
    const auto& [place, first, end] = space_.starts[number];
    visit(made, place, space_.candidates.span(first, end), space_.piles[static_cast<std::size_t>(thread)].data(),
          false);
}

void Walk::make_branches(std::size_t begin, std::size_t end) {
    parallel_tasks(end - begin,
                   [&](std::size_t k, int thread) { make_branch(begin + k, thread, lists_.branches()[begin + k]); });
}

// Walks for a target and, below it, for its two halves. Halves small enough to be branches are noted while in the
// trunk.
void Walk::visit(Branch& branch, Place place, std::span<const std::uint32_t> candidates, Pile* piles, bool trunk) {
    const Cell& cell = cells_[place.cell];
    const bool few = cell.count <= group_size_;
    WalkTarget target = table_.target(place.cell, few || cell.is_leaf());
    target.part_of_uneven = place.part_of_uneven;
    const bool divide = few && opening_.receiver == Receiver::cell && !target.even();
    target.group = cell.is_leaf() || (few && !divide);
    Pile& deferred = piles[0];
    deferred.clear();
    TRELLIS_VARIANT(walk_target)
    (table_.candidates(), opening_, target, candidates, {branch.far, branch.super, branch.near, deferred, piles[1]});
    const auto self = static_cast<std::uint32_t>(branch.targets.size());
    branch.targets.push_back({place.cell, place.parent, static_cast<std::uint32_t>(branch.far.size()),
                              static_cast<std::uint32_t>(branch.super.size()),
                              static_cast<std::uint32_t>(branch.near.size()), target.group});
    if (target.group) return;
    for (const std::uint32_t half : {cell.child, cell.child + 1}) {
        const Place there{half, self, place.part_of_uneven || divide};
        if (trunk && cells_[half].count <= branch_size_)
            start_branch(there, deferred);
        else
            visit(branch, there, deferred.all(), piles + 2, trunk);
    }
}

void Walk::start_branch(Place place, const Pile& candidates) {
    const std::size_t first = space_.candidates.size();
    space_.candidates.append(candidates.all());
    space_.starts.push_back({place, first, space_.candidates.size()});
}

}  // namespace trellis
