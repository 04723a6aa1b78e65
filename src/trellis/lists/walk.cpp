#include "trellis/lists/walk.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/lists/walk_kernel.hpp"
#include "trellis/tree/morton.hpp"

namespace trellis {

namespace {

// Enough branches for any number of threads to share the work evenly.
constexpr std::uint32_t branches_wanted = 512;

struct Tolerance {
    double smallest, largest;
};

// The range of the tolerances in each cell.
void tolerance_ranges(const Tree& tree, std::span<const double> tolerance, Tolerance* ranges) {
    const auto cells = tree.cells();
    const auto levels = tree.levels();
    if (tolerance.empty()) {
        std::fill_n(ranges, cells.size(), Tolerance{any_error, any_error});
        return;
    }
    for (std::size_t level = levels.size() - 1; level-- > 0;) {
        parallel_for(levels[level + 1] - levels[level], [&](std::size_t k) {
            const std::size_t index = levels[level] + k;
            const Cell& cell = cells[index];
            if (cell.is_leaf()) {
                const auto own = std::ranges::minmax(tolerance.subspan(cell.first, cell.count));
                ranges[index] = {own.min, own.max};
            } else {
                const Tolerance left = ranges[cell.child], right = ranges[cell.child + 1];
                ranges[index] = {std::min(left.smallest, right.smallest), std::max(left.largest, right.largest)};
            }
        });
    }
}

class Walk {
  public:
    Walk(const Tree& tree, const Moments& moments, const Opening& opening, std::uint32_t group_size,
         std::span<const double> tolerance, Workspace& space)
        : cells_(tree.cells()),
          moments_(moments),
          opening_(opening),
          group_size_(group_size),
          branch_size_(std::max<std::uint32_t>(group_size, cells_[0].count / branches_wanted)),
          space_(start(space, cells_.size())),
          tolerances_(space_.take<Tolerance>(cells_.size())),
          candidates_(space_.take<Candidate>(cells_.size())) {
        tolerance_ranges(tree, tolerance, tolerances_);
        parallel_for(cells_.size(), [&](std::size_t k) {
            const Sphere& sphere = moments.spheres()[k];
            const double size = opening.receiver == Receiver::cell
                                    ? sphere.radius
                                    : std::max(tree.side(cells_[k]), opening.theta * sphere.radius);
            candidates_[k] = {sphere.centre,   size, moments.weights()[k], cells_[k].is_leaf() ? 1.0 : 0.0,
                              cells_[k].child, {}};
        });
    }

    void run(InteractionLists& lists) {
        const std::uint32_t root = 0;
        Piles piles;
        visit(lists.trunk, {root, 0}, {&root, 1}, piles.data(), true);
        lists.branches.resize(starts_.size());
        for (Branch& branch : lists.branches) branch.clear();
        std::vector<Piles> thread_piles(static_cast<std::size_t>(thread_count()));
        parallel_tasks(starts_.size(), [&](std::size_t b, int thread) {
            const Start& start = starts_[b];
            visit(lists.branches[b], {start.cell, start.parent}, start.candidates,
                  thread_piles[static_cast<std::size_t>(thread)].data(), false);
        });
    }

  private:
    static Workspace& start(Workspace& space, std::size_t cells) {
        space.start(Workspace::bytes_of<Tolerance>(cells) + Workspace::bytes_of<Candidate>(cells));
        return space;
    }

    // Deferred cells for each level of the recursion, and the walk's work space behind them.
    using Piles = std::array<Pile, 2 * (key_bits + 2)>;

    struct Place {
        std::uint32_t cell, parent;
    };
    struct Start {
        std::uint32_t cell, parent;
        std::vector<std::uint32_t> candidates;
    };

    // Walks for a target and, below it, for its two halves. Halves small enough to be branches are noted while in the trunk.
    void visit(Branch& branch, Place place, std::span<const std::uint32_t> candidates, Pile* piles, bool trunk) {
        const Cell& cell = cells_[place.cell];
        const bool group = cell.count <= group_size_ || cell.is_leaf();
        const Sphere& sphere = moments_.spheres()[place.cell];
        const Tolerance tolerance = tolerances_[place.cell];
        Pile& deferred = piles[0];
        deferred.set_size(0);
        TRELLIS_VARIANT(walk_target)
        (candidates_, opening_,
         {moments_.bounds()[place.cell], sphere.centre, sphere.radius, tolerance.smallest, tolerance.largest, group},
         candidates, {branch.far, branch.super, branch.near, deferred, piles[1]});
        const auto self = static_cast<std::uint32_t>(branch.targets.size());
        branch.targets.push_back({place.cell, place.parent, static_cast<std::uint32_t>(branch.far.size()),
                                  static_cast<std::uint32_t>(branch.super.size()),
                                  static_cast<std::uint32_t>(branch.near.size()), group});
        if (group) return;
        for (const std::uint32_t half : {cell.child, cell.child + 1}) {
            const auto left = deferred.span(0, deferred.size());
            if (trunk && cells_[half].count <= branch_size_)
                starts_.push_back({half, self, {left.begin(), left.end()}});
            else
                visit(branch, {half, self}, left, piles + 2, trunk);
        }
    }

    std::span<const Cell> cells_;
    const Moments& moments_;
    const Opening& opening_;
    std::uint32_t group_size_, branch_size_;
    Workspace& space_;
    Tolerance* tolerances_;  // of each cell
    Candidate* candidates_;  // of each cell
    std::vector<Start> starts_;
};

std::size_t bytes_of(const Branch& branch) {
    return branch.targets.size() * sizeof(Target) +
           (branch.far.size() + branch.super.size() + branch.near.size()) * sizeof(std::uint32_t);
}

}  // namespace

void make_lists(const Tree& tree, const Moments& moments, const Opening& opening, std::uint32_t group_size,
                std::span<const double> tolerance, InteractionLists& lists) {
    lists.trunk.clear();
    if (tree.cells().empty()) return lists.branches.clear();
    Walk(tree, moments, opening, group_size, tolerance, lists.walk_space).run(lists);
}

void Branch::clear() {
    targets.clear();
    far.set_size(0);
    super.set_size(0);
    near.set_size(0);
}

std::size_t InteractionLists::bytes() const {
    std::size_t total = bytes_of(trunk);
    for (const Branch& branch : branches) total += bytes_of(branch);
    return total;
}

}  // namespace trellis
