// The check, on a device, whether neighbour lists are still valid, by the rule of displacement_check.hpp. The cells and
// blocks of the search tree are sent when lists are made.
#pragma once

#include <memory>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/lists/neighbours/search/search_tree.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

class ResidentDisplacements {
  public:
    explicit ResidentDisplacements(std::shared_ptr<Device> device) : device_(std::move(device)) {}

    // Sends the tree that lists were made of, with one search radius for all particles, and waits. skin: as a length.
    void begin(Queue& queue, const SearchTree& tree, double cutoff, double skin, const Region& region);
    // Queues the check of the particles, in the order of the tree; the state (ResidentValues) then holds the outcome.
    // then: their positions when lists were made.
    void check(Queue& queue, const DeviceMemory& now, const DeviceMemory& then, const DeviceMemory& state);

  private:
    std::shared_ptr<Device> device_;
    double cutoff_ = 0, skin_ = 0, farthest_ = 0;
    std::size_t particles_ = 0, block_count_ = 0, images_ = 0;
    std::vector<std::uint32_t> levels_;
    DeviceMemory cells_, zones_, first_block_, blocks_, slots_, shifts_, of_blocks_, of_cells_;
};

}  // namespace trellis
