// The table of cells with moments on a device: sent, or made there from the particles (see device_moments.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "trellis/devices/device.hpp"
#include "trellis/forces/tree/device/batches/batch_kernels.hpp"
#include "trellis/forces/tree/device/batches/staged_memory.hpp"
#include "trellis/tree/cell.hpp"

namespace trellis {

// The cells of a step on the host. Rows and frames stay there until the forces are known.
struct HostCells {
    std::size_t count = 0;
    bool made_there = false;                // by the device, if it has all particles
    std::span<const std::byte> rows;        // with moments; empty: the device makes them
    std::span<const std::byte> frames;      // of which it makes them
    std::span<const Cell> tree;             // of a new tree; empty: that of the last step
    std::span<const std::uint32_t> levels;  // see Tree::levels
};

// Queues the moments of a tree's cells (P2M, M2M). levels: see Tree::levels; tree: array of Cell; frames, particles,
// rows: see device_moments.hpp.
void make_moments(Queue& queue, const BatchKernel& kernel, std::span<const std::uint32_t> levels,
                  const DeviceMemory& tree, const DeviceMemory& frames, const DeviceMemory& particles,
                  const DeviceMemory& rows);

class DeviceCells {
  public:
    // The memories, and the bytes that cells need of each.
    std::array<DeviceMemory*, 3> memories() { return {&rows_, &frames_, &tree_.memory()}; }
    static std::array<std::size_t, 3> sizes(const HostCells& cells, const BatchKernel& kernel);
    // Queues the rows to be sent, or made from a table of particles on the device. The memories have room for them.
    void send(const std::shared_ptr<Device>& device, Queue& queue, const HostCells& cells,
              const DeviceMemory& particles, const BatchKernel& kernel);

    const DeviceMemory& rows() const { return rows_; }
    std::size_t bytes_held() const { return rows_.bytes() + frames_.bytes() + tree_.memory().bytes(); }

  private:
    DeviceMemory rows_, frames_;
    StagedMemory tree_;
};

}  // namespace trellis
