// Copies on the host of the cells that a device has built, without their particles.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trellis/lists/walk/walk_table.hpp"
#include "trellis/resident/resident_tree.hpp"

namespace trellis {

class CellsOnHost {
  public:
    // Copies the cells, and waits for them. tolerances: array of ToleranceRange, or empty: any error is allowed.
    void fetch(const std::shared_ptr<Device>& device, Queue& queue, const ResidentTree& tree,
               const DeviceMemory& tolerances);
    // Finds the sizes of cells that lists are made with. root_side: of the root cell.
    void find_sizes(double root_side, const Opening& opening);

    WalkCells cells() const { return {cells_, spheres_, bounds_, weights_, softenings_}; }
    std::span<const ToleranceRange> tolerances() const { return tolerances_; }
    std::span<const CellSize> sizes() const { return sizes_; }  // empty for Receiver::cell

  private:
    DeviceMemory spheres_there_, bounds_there_, weights_there_;  // parts of the contents
    HostMemory cells_here_, spheres_here_, bounds_here_, weights_here_, softenings_here_, tolerances_here_;
    std::span<const Cell> cells_;
    std::span<const Sphere> spheres_;
    std::span<const Bounds> bounds_;
    std::span<const double> weights_;
    std::span<const CellSoftening> softenings_;
    std::span<const ToleranceRange> tolerances_;
    std::vector<CellSize> sizes_;
};

}  // namespace trellis
