// The tree of particles that live on a device, built there. Its cells are the same, bit for bit, as those of
// tree/build.cpp and tree/moments.cpp.
#pragma once

#include <memory>
#include <vector>

#include "trellis/resident/kernels/state.hpp"
#include "trellis/tree/contents.hpp"

namespace trellis {

class ResidentTree {
  public:
    ResidentTree(std::shared_ptr<Device> device, Queue& queue, ResidentState& state, std::size_t particles,
                 std::uint32_t leaf_size);

    // Queues root cell, keys and sort.
    void sort(const DeviceMemory& positions);
    // The particle in each slot after sort.
    const DeviceMemory& order() const { return order_; }

    // Queues the cells of the sorted and reordered particles, as far as memory suffices; the state then holds whether
    // it did.
    void link();
    // Reads the sizes that link has found, and enlarges memory that was too small: then link must be queued again.
    void learn(const ResidentValues& made);

    // Queues the contents of the cells, and their softenings, for particles in the order of the tree. softenings: the
    // column of the particles; empty if they do not differ.
    void find_contents(const DeviceMemory& positions, const DeviceMemory& weights, const DeviceMemory& softenings);

    // The number of cells; from link to learn the largest number that memory allows.
    std::size_t cell_count() const { return levels_.empty() ? cell_room() : levels_.back(); }
    std::size_t cell_room() const { return contents_.bytes() / sizeof(CellContents); }
    const std::vector<std::uint32_t>& levels() const { return levels_; }  // see Tree::levels; empty from link to learn
    const DeviceMemory& cells() const { return cells_; }                  // array of Cell
    const DeviceMemory& contents() const { return contents_; }            // array of CellContents
    const DeviceMemory& softenings() const { return softenings_; }        // array of CellSoftening, or empty: all equal

  private:
    void make_level(std::uint32_t level);
    std::size_t most_cells_of(std::size_t level) const;
    std::size_t level_count() const { return levels_.empty() ? levels_queued_ : levels_.size() - 1; }
    std::size_t cells_of(std::size_t level) const;

    std::shared_ptr<Device> device_;
    Queue& queue_;
    ResidentState& state_;
    std::size_t particles_;
    std::uint32_t leaf_size_;
    std::size_t widest_level_;  // most cells of a level
    DeviceMemory extents_, keys_, order_, other_keys_, other_order_, space_, splits_, cells_, contents_, softenings_;
    std::uint32_t levels_queued_;
    std::vector<std::uint32_t> levels_;
};

}  // namespace trellis
