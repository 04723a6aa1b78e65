#include "trellis/lists/neighbours/search/search_tree.hpp"

#include <algorithm>
#include <array>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

struct RowAt {
    Vec3<double> position;
    std::uint32_t row;
};

std::size_t longest_axis(std::span<const RowAt> particles) {
    Extent extent{particles[0].position, particles[0].position};
    for (const RowAt& particle : particles) extent = join(extent, {particle.position, particle.position});
    const Vec3<double> sides = extent.high - extent.low;
    return sides.x >= sides.y && sides.x >= sides.z ? 0 : sides.y >= sides.z ? 1 : 2;
}

// Sorts the particles of a block into full clusters, each compact in space, by halving across the longest side. They
// are few: each one's place follows from comparisons with all others, without branches.
void sort_into_clusters(std::span<RowAt> particles) {
    const std::size_t size = particles.size();
    if (size <= SearchTree::cluster_size) return;
    const std::size_t axis = longest_axis(particles);
    std::array<double, SearchTree::block_size> at;
    std::array<RowAt, SearchTree::block_size> before;
    std::array<std::uint32_t, SearchTree::block_size> place{};
    std::ranges::copy(particles, before.begin());
    for (std::size_t k = 0; k < size; ++k) at[k] = before[k].position[axis];
    for (std::size_t k = 1; k < size; ++k)
        for (std::size_t other = 0; other < k; ++other) {
            const std::uint32_t behind = at[other] <= at[k] ? 1 : 0;
            place[k] += behind;
            place[other] += 1 - behind;
        }
    for (std::size_t k = 0; k < size; ++k) particles[place[k]] = before[k];
    constexpr std::size_t part = SearchTree::cluster_size;
    const std::size_t half = (size + part - 1) / part / 2 * part;
    sort_into_clusters(particles.first(half));
    sort_into_clusters(particles.subspan(half));
}

// Sorts particles into full blocks, each compact in space, by halving the blocks across the longest side.
void sort_into_blocks(std::span<RowAt> particles) {
    const std::uint32_t blocks = SearchTree::blocks_of(static_cast<std::uint32_t>(particles.size()));
    if (blocks < 2) return sort_into_clusters(particles);
    const std::size_t axis = longest_axis(particles), half = std::size_t{blocks / 2} * SearchTree::block_size;
    std::nth_element(particles.begin(), particles.begin() + static_cast<std::ptrdiff_t>(half), particles.end(),
                     [axis](const RowAt& a, const RowAt& b) {
                         return a.position[axis] < b.position[axis] ||
                                (a.position[axis] == b.position[axis] && a.row < b.row);
                     });
    sort_into_blocks(particles.first(half));
    sort_into_blocks(particles.subspan(half));
}

}  // namespace

void SearchTree::build(std::span<const Vec3<double>> positions, const Radii& radii, std::uint32_t leaf_size,
                       Phases& phases) {
    if (tree_.use_count() > 1) tree_ = std::make_shared<Tree>();
    tree_->build(positions, leaf_size, phases);
    find_leaves();
    const auto cells = tree_->cells();
    {
        const PhaseTimer timer(phases, Phase::reorder_particles);
        order_.assign(tree_->order().begin(), tree_->order().end());
        positions_.resize(order_.size());
        radii_.resize(order_.size());
        parallel_tasks(leaves_.size(), [&](std::size_t k, int) { arrange(cells[leaves_[k]], positions, radii); });
    }
    const PhaseTimer timer(phases, Phase::calculate_moments);
    measure_zones();
}

void SearchTree::move(std::span<const Vec3<double>> positions, const Radii& radii) {
    parallel_for(order_.size(), [&](std::size_t slot) {
        positions_[slot] = positions[order_[slot]];
        radii_[slot] = radii[order_[slot]];
    });
    measure_zones();
}

// The zones of blocks, and of cells from the deepest level up.
void SearchTree::measure_zones() {
    const auto cells = tree_->cells();
    zones_.resize(cells.size());
    const auto levels = tree_->levels();
    for (std::size_t level = levels.size() - 1; level-- > 0;)
        parallel_for(levels[level + 1] - levels[level], [&](std::size_t k) {
            const auto index = static_cast<std::uint32_t>(levels[level] + k);
            const Cell& cell = cells[index];
            if (!cell.is_leaf()) {
                zones_[index] = join(zones_[cell.child], zones_[cell.child + 1]);
                return;
            }
            Zone* block = &blocks_[first_block_[index]];
            for (std::uint32_t first = cell.first; first < cell.end(); first += block_size, ++block) {
                *block = zone_of_slots(first, std::min(first + block_size, cell.end()));
                zones_[index] = first == cell.first ? *block : join(zones_[index], *block);
            }
        });
}

void SearchTree::find_leaves() {
    const auto cells = tree_->cells();
    leaves_.clear();
    first_block_.assign(cells.size(), 0);
    std::uint32_t blocks = 0;
    for (std::uint32_t index = 0; index < cells.size(); ++index) {
        if (!cells[index].is_leaf()) continue;
        leaves_.push_back(index);
        first_block_[index] = blocks;
        blocks += blocks_of(cells[index].count);
    }
    blocks_.resize(blocks);
    std::ranges::sort(leaves_, {}, [&](std::uint32_t leaf) { return cells[leaf].first; });
}

void SearchTree::arrange(const Cell& leaf, std::span<const Vec3<double>> positions, const Radii& radii) {
    std::vector<RowAt> particles(leaf.count);
    for (std::uint32_t k = 0; k < leaf.count; ++k)
        particles[k] = {positions[order_[leaf.first + k]], order_[leaf.first + k]};
    sort_into_blocks(particles);
    for (std::uint32_t k = 0; k < leaf.count; ++k) {
        order_[leaf.first + k] = particles[k].row;
        positions_[leaf.first + k] = particles[k].position;
        radii_[leaf.first + k] = radii[particles[k].row];
    }
}

Zone SearchTree::zone_of_slots(std::uint32_t first, std::uint32_t end) const {
    Zone zone{{positions_[first], positions_[first]}, radii_[first]};
    for (std::uint32_t slot = first + 1; slot < end; ++slot)
        zone = join(zone, {{positions_[slot], positions_[slot]}, radii_[slot]});
    return zone;
}

}  // namespace trellis
