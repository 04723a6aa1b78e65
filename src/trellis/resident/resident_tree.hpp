// The tree of particles that live on a device, made there. Its cells are the same, bit for bit, as those of
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
    // The particle of each slot, as sort has found it.
    const DeviceMemory& order() const { return order_; }

    // Queues the cells of particles that have been sorted and put into order: as many as there is room for. The state
    // then says whether these were all.
    void link();
    // Takes note of what link has made, and makes room for it where there was too little: then link must follow again.
    void learn(const ResidentValues& made);

    // Queues the contents of the cells, and their softenings, for particles in the order of the tree. softenings: those
    // of the particles; empty: they do not differ.
    void find_contents(const DeviceMemory& positions, const DeviceMemory& weights, const DeviceMemory& softenings);

    // The number of cells; from link to learn: as many as there is room for.
    std::size_t cell_count() const { return levels_.empty() ? cell_room() : levels_.back(); }
    std::size_t cell_room() const { return contents_.bytes() / sizeof(CellContents); }
    const std::vector<std::uint32_t>& levels() const { return levels_; }  // see Tree::levels; from link to learn: empty
    const DeviceMemory& cells() const { return cells_; }                  // of Cell
    const DeviceMemory& contents() const { return contents_; }            // of CellContents
    const DeviceMemory& softenings() const { return softenings_; }        // of CellSoftening; empty: they do not differ

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
