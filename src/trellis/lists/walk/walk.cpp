#include "trellis/lists/walk/walk.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

// Enough branches for any number of threads to divide the work evenly.
constexpr std::uint32_t branches_wanted = 512;

}  // namespace

Walk::Walk(const WalkCells& cells, std::span<const CellSize> sizes, const Opening& opening, std::uint32_t group_size,
           std::span<const ToleranceRange> tolerances, std::span<const std::uint32_t> roots, InteractionLists& lists)
    : cells_(cells.cells),
      opening_(opening),
      group_size_(group_size),
      branch_size_(cells_.empty() ? 0 : std::max<std::uint32_t>(group_size, cells_[0].count / branches_wanted)),
      lists_(lists),
      space_(lists.walk_space),
      table_(cells, sizes, tolerances, space_.table) {
    space_.starts.clear();
    space_.candidates.clear();
    space_.roots.clear();
    space_.roots.cells.append(roots);
    for (std::uint32_t image = 0; image < lists.images.size(); ++image)
        space_.roots.images.push_back({image, 0, roots.size()});
    space_.levels.resize(static_cast<std::size_t>(thread_count()));
    lists.trunk.clear();
    if (!cells.bounds.empty())
        visit(lists.trunk, {0, 0, false}, {space_.roots.cells, space_.roots.images}, space_.levels[0].data(), true);
    lists.set_branches(space_.starts.size());
}

void Walk::make_branch(std::size_t number, int thread, Branch& made) {
    const auto& [first_visit, first, end] = space_.starts[number];
    const Candidates candidates{space_.candidates.cells,
                                std::span(space_.candidates.images).subspan(first, end - first)};
    visit(made, first_visit, candidates, space_.levels[static_cast<std::size_t>(thread)].data(), false);
}

void Walk::make_branches(std::size_t begin, std::size_t end) {
    parallel_tasks(end - begin,
                   [&](std::size_t k, int thread) { make_branch(begin + k, thread, lists_.branches()[begin + k]); });
}

// Walks for a target and then for its two halves. In the trunk, halves small enough to be branches are noted instead.
void Walk::visit(Branch& branch, Visit at, const Candidates& candidates, WalkSpace::Level* level, bool trunk) {
    const Cell& cell = cells_[at.cell];
    const bool few = cell.count <= group_size_;
    WalkTarget target = table_.target(at.cell, few || cell.is_leaf());
    target.part_of_uneven = at.part_of_uneven;
    const bool divide = few && opening_.receiver == Receiver::cell && !target.even();
    target.group = cell.is_leaf() || (few && !divide);
    level->undecided.clear();
    for (const auto& [image, first, end] : candidates.images)
        classify_image(branch, target, image, candidates.cells.span(first, end), *level);
    const auto self = static_cast<std::uint32_t>(branch.targets.size());
    branch.targets.push_back({at.cell, at.parent, static_cast<std::uint32_t>(branch.lists.size()), target.group});
    if (target.group) return;
    const WalkSpace::Undecided& undecided = level->undecided;
    for (const std::uint32_t half : {cell.child, cell.child + 1}) {
        const Visit next{half, self, at.part_of_uneven || divide};
        if (trunk && cells_[half].count <= branch_size_)
            start_branch(next, undecided);
        else
            visit(branch, next, {undecided.cells, undecided.images}, level + 1, trunk);
    }
}

// Lists the candidates of one image that act on a target, and notes those left to the target's halves.
void Walk::classify_image(Branch& branch, const WalkTarget& target, std::uint32_t image,
                          std::span<const std::uint32_t> candidates, WalkSpace::Level& level) const {
    const auto listed = [&] { return branch.far.size() + branch.super.size() + branch.near.size(); };
    auto& [deferred, images] = level.undecided;
    const std::size_t before = listed(), first = deferred.size();
    TRELLIS_VARIANT(walk_target)
    (table_.candidates(), opening_, moved(target, -lists_.images[image]), candidates,
     {branch.far, branch.super, branch.near, deferred, level.opened});
    if (listed() != before)
        branch.lists.push_back({image, static_cast<std::uint32_t>(branch.far.size()),
                                static_cast<std::uint32_t>(branch.super.size()),
                                static_cast<std::uint32_t>(branch.near.size())});
    if (deferred.size() != first) images.push_back({image, first, deferred.size()});
}

// Notes the beginning of a branch. Two halves that are branches share their candidates.
void Walk::start_branch(Visit visit, const WalkSpace::Undecided& candidates) {
    if (!space_.starts.empty() && space_.starts.back().visit.parent == visit.parent) {
        WalkSpace::Start start = space_.starts.back();
        start.visit = visit;
        space_.starts.push_back(start);
        return;
    }
    auto& [cells, images] = space_.candidates;
    const std::size_t before = cells.size(), first = images.size();
    cells.append(candidates.cells.all());
    for (const auto& [image, begin, end] : candidates.images) images.push_back({image, before + begin, before + end});
    space_.starts.push_back({visit, first, images.size()});
}

}  // namespace trellis
