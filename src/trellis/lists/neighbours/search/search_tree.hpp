// Particles sorted by position for the neighbour search: the leaves of a tree, and their blocks of 16 particles that
// are near each other, each of four clusters of 4.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/lists/neighbours/search/search.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

// The arrays of a tree that a search reads, on the host or on a device.
struct SearchTreeView {
    const Cell* cells;
    const Zone* zones;                 // of each cell
    const std::uint32_t* first_block;  // of each cell that is a leaf
    const Zone* blocks;
};

class SearchTree {
  public:
    static constexpr std::uint32_t block_size = 16, cluster_size = 4;
    static constexpr std::uint32_t blocks_of(std::uint32_t particles) {
        return (particles + block_size - 1) / block_size;
    }

    // Builds the tree of positions and radii, by row. A leaf holds at most leaf_size particles, unless more have the
    // same key. The result is the same for any number of threads.
    void build(std::span<const Vec3<double>> positions, const Radii& radii, std::uint32_t leaf_size, Phases& phases);
    // Keeps leaves, blocks and clusters, of particles that have moved since. A copy may be moved: it shares the cells.
    void move(std::span<const Vec3<double>> positions, const Radii& radii);

    std::size_t size() const { return order_.size(); }
    std::span<const Cell> cells() const { return tree_->cells(); }
    // The numbers of the cells that are leaves, in the order of their slots.
    std::span<const std::uint32_t> leaves() const { return leaves_; }

    // Row, position and radius of each slot. Slots are those of the tree, leaf by leaf, block by block and cluster by
    // cluster; all blocks and clusters but the last of a leaf are full.
    std::span<const std::uint32_t> order() const { return order_; }
    std::span<const Vec3<double>> positions() const { return positions_; }
    std::span<const double> radii() const { return radii_; }

    // See Tree::levels.
    std::span<const std::uint32_t> levels() const { return tree_->levels(); }
    SearchTreeView view() const { return {cells().data(), zones_.data(), first_block_.data(), blocks_.data()}; }
    const Zone& zone(std::uint32_t cell) const { return zones_[cell]; }
    // The zone of block b of a leaf.
    const Zone& block(std::uint32_t leaf, std::uint32_t b) const { return blocks_[first_block_[leaf] + b]; }
    // The blocks of all leaves have numbers; those of a leaf are consecutive.
    std::uint32_t first_block(std::uint32_t leaf) const { return first_block_[leaf]; }
    std::size_t block_count() const { return blocks_.size(); }

  private:
    void find_leaves();
    void arrange(const Cell& leaf, std::span<const Vec3<double>> positions, const Radii& radii);
    void measure_zones();
    Zone zone_of_slots(std::uint32_t first, std::uint32_t end) const;

    std::shared_ptr<Tree> tree_ = std::make_shared<Tree>();  // of copies as well
    std::vector<std::uint32_t> leaves_, order_;
    std::vector<Vec3<double>> positions_;
    std::vector<double> radii_;
    std::vector<Zone> zones_, blocks_;
    std::vector<std::uint32_t> first_block_;  // of each cell that is a leaf
};

}  // namespace trellis
