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
    // Queues the copies. tolerances: array of ToleranceRange, or empty: any error is allowed.
    void fetch(const std::shared_ptr<Device>& device, Queue& queue, const ResidentTree& tree,
               const DeviceMemory& tolerances);
    // Takes the first `count` cells, once they have come. root_side, theta: for their sizes, see size_for_particles.
    void take(std::size_t count, double root_side, const Opening& opening);

    WalkCells cells() const { return {cells_, spheres_, bounds_, weights_, softenings_}; }
    std::span<const ToleranceRange> tolerances() const { return tolerances_; }
    std::span<const CellSize> sizes() const { return sizes_; }  // empty for Receiver::cell

  private:
    HostMemory fetched_cells_, fetched_contents_, fetched_softenings_, fetched_tolerances_;
    bool softenings_differ_ = false, has_tolerances_ = false;
    std::span<const Cell> cells_;
    std::vector<Sphere> spheres_;
    std::vector<Bounds> bounds_;
    std::vector<double> weights_;
    std::span<const CellSoftening> softenings_;
    std::span<const ToleranceRange> tolerances_;
    std::vector<CellSize> sizes_;
};

}  // namespace trellis
