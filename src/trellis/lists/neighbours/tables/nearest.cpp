#include "trellis/lists/neighbours/tables/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/lists/neighbours/search/search_tree.hpp"

namespace trellis {

using namespace fields;

namespace {

constexpr std::uint32_t leaf_size = SearchTree::block_size;

using Candidate = std::pair<double, std::uint32_t>;  // squared distance, row

// A depth-first search, nearer cells before farther ones. Rounding is monotonic, so that the computed distance of a
// particle is never below that of its cell.
class NearestSearch {
  public:
    NearestSearch(const SearchTree& tree, const Region& region, std::size_t count)
        : tree_(tree), region_(region), count_(count) {}

    // The particles nearest to that of a slot, nearest first.
    const std::vector<Candidate>& find(std::uint32_t slot) {
        self_ = slot;
        at_ = tree_.positions()[slot];
        best_.clear();
        visit(0, 0);
        std::ranges::sort_heap(best_);
        return best_;
    }

  private:
    void visit(std::uint32_t index, double nearest) {
        if (best_.size() == count_ && nearest > best_.front().first) return;
        const Cell& cell = tree_.cells()[index];
        if (cell.is_leaf()) {
            visit_leaf(index, cell);
            return;
        }
        const double left = distance2(tree_.zone(cell.child).bounds);
        const double right = distance2(tree_.zone(cell.child + 1).bounds);
        visit(left <= right ? cell.child : cell.child + 1, std::min(left, right));
        visit(left <= right ? cell.child + 1 : cell.child, std::max(left, right));
    }

    // A leaf has many blocks if its particles have equal keys. The particle's own block comes first, so that most of
    // the others are too far.
    void visit_leaf(std::uint32_t leaf, const Cell& cell) {
        const std::uint32_t blocks = SearchTree::blocks_of(cell.count);
        const bool within = self_ >= cell.first && self_ < cell.end();
        const std::uint32_t own = within ? (self_ - cell.first) / SearchTree::block_size : 0;
        visit_block(cell, own);
        for (std::uint32_t b = 0; b < blocks; ++b)
            if (b != own && (best_.size() < count_ || distance2(tree_.block(leaf, b).bounds) <= best_.front().first))
                visit_block(cell, b);
    }

    void visit_block(const Cell& cell, std::uint32_t b) {
        const std::uint32_t first = cell.first + b * SearchTree::block_size;
        for (std::uint32_t slot = first; slot < std::min(first + SearchTree::block_size, cell.end()); ++slot)
            if (slot != self_)
                offer({distance2({tree_.positions()[slot], tree_.positions()[slot]}), tree_.order()[slot]});
    }

    void offer(const Candidate& candidate) {
        if (best_.size() == count_) {
            if (!(candidate < best_.front())) return;
            std::ranges::pop_heap(best_);
            best_.pop_back();
        }
        best_.push_back(candidate);
        std::ranges::push_heap(best_);
    }

    // The squared distance to the nearest point of the nearest image of a box. Positions are within the region: shifts
    // by one period are enough.
    double distance2(const Extent& box) const {
        Vec3<double> gap;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double below = box.low[axis] - at_[axis], above = box.high[axis] - at_[axis];
            const auto outside = [&](double shift) { return std::max({below + shift, -(above + shift), 0.0}); };
            gap[axis] = outside(0);
            if (!region_.periodic(axis)) continue;
            const double period = region_.high[axis] - region_.low[axis];
            gap[axis] = std::min({gap[axis], outside(period), outside(-period)});
        }
        return dot(gap, gap);
    }

    const SearchTree& tree_;
    const Region& region_;
    std::size_t count_;
    std::uint32_t self_ = 0;
    Vec3<double> at_{};
    std::vector<Candidate> best_;  // a heap, the farthest first
};

}  // namespace

NearestTable nearest_neighbours(const ParticleSet& particles, std::size_t count) {
    particles.check_finite(Position::name);
    if (count < 1 || count >= particles.size())
        throw InputError("the nearest " + std::to_string(count) + " of " + std::to_string(particles.size()) +
                         " particles are wanted: allowed is 1 or more, and fewer than there are");
    std::vector<Vec3<double>> positions(particles.size());
    parallel_for(positions.size(),
                 [&](std::size_t row) { positions[row] = particles.region().wrapped(particles[position][row]); });
    const double no_radius = 0;
    Phases phases;
    SearchTree tree;
    tree.build(positions, Radii({&no_radius, 1}), leaf_size, phases);
    NearestTable table{count, {}, {}};
    table.rows.resize(count * positions.size());
    table.distances.resize(count * positions.size());
    parallel_tasks(tree.leaves().size(), [&](std::size_t k, int) {
        const Cell& leaf = tree.cells()[tree.leaves()[k]];
        NearestSearch search(tree, particles.region(), count);
        for (std::uint32_t slot = leaf.first; slot < leaf.end(); ++slot) {
            std::size_t to = count * tree.order()[slot];
            for (const auto& [distance2, row] : search.find(slot)) {
                table.rows[to] = row;
                table.distances[to++] = std::sqrt(distance2);
            }
        }
    });
    return table;
}

}  // namespace trellis
