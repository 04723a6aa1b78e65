#include "trellis/lists/walk/recheck.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

// Expansions of overlapping spheres do not converge, for any skin.
constexpr double widest_cell_theta = 0.99;

}  // namespace

Opening relaxed(const Opening& opening, double skin) {
    Opening wider = opening;
    wider.theta *= 1 + skin;
    wider.softening_error *= softening_growth(skin);
    if (opening.receiver == Receiver::cell)
        wider.theta = std::clamp(wider.theta, opening.theta, std::max(opening.theta, widest_cell_theta));
    return wider;
}

double error_growth(const Opening& opening, double skin) { return std::pow(1 + skin, opening.order + 3); }

bool still_accepted(const Tree& tree, const Moments& moments, const Opening& opening, std::span<const CellSize> sizes,
                    std::span<const ToleranceRange> tolerances, double skin, InteractionLists& lists) {
    const WalkTable table(walk_cells(tree, moments), sizes, tolerances, lists.walk_space.table);
    const Opening limit = relaxed(opening, skin);
    const double more_error = error_growth(opening, skin);
    std::atomic<bool> holds = true;
    const auto check = [&](const Branch& branch) {
        for (std::size_t t = 0; t < branch.targets.size() && holds.load(std::memory_order_relaxed); ++t) {
            WalkTarget target = table.target(branch.targets[t].cell, branch.targets[t].group);
            target.smallest_tolerance *= more_error;
            for (const std::size_t list : branch.lists_of(t))
                if (!TRELLIS_VARIANT(all_accepted)(table.candidates(), limit,
                                                   moved(target, -lists.images[branch.lists[list].image]),
                                                   branch.far_of(list), branch.super_of(list)))
                    holds.store(false, std::memory_order_relaxed);
        }
    };
    check(lists.trunk);
    const auto branches = lists.branches();
    parallel_tasks(branches.size(), [&](std::size_t b, int) { check(branches[b]); });
    return holds;
}

}  // namespace trellis
