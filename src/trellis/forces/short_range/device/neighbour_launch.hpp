// One interaction of short range on a device: rows and blocks go there, sums come back.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trellis/forces/short_range/device/device_neighbours.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"
#include "trellis/tree/sorted_columns.hpp"

namespace trellis {

class NeighbourLaunch {
  public:
    explicit NeighbourLaunch(std::shared_ptr<DeviceNeighbours> neighbours) : neighbours_(std::move(neighbours)) {}
    // A failure is known from the wait for the sums.
    ~NeighbourLaunch() { neighbours_->queue().settle(); }
    NeighbourLaunch(const NeighbourLaunch&) = delete;
    NeighbourLaunch& operator=(const NeighbourLaunch&) = delete;

    // Queues the interaction for groups with a flag that is not 0; no flags: for all. columns: with those of ghosts.
    void dispatch(const NeighbourKernels& kernels, const void* interaction, bool single, const NeighbourLists& lists,
                  const SortedColumns& columns, std::span<const std::uint8_t> groups, Phases& phases);

    // Waits for the interaction dispatched last and writes its outcome. Throws DeviceError if the device failed, or a
    // sum is not finite.
    Work retrieve(const void* interaction, const NeighbourScene& scene, Phases& phases);

  private:
    template <class R>
    void write_rows(const NeighbourLists& lists, const SortedColumns& columns, std::size_t source_components);

    std::shared_ptr<DeviceNeighbours> neighbours_;
    NeighbourDeviceKernels kernels_{};  // of the precision in use
    std::vector<ListedBlock> listed_;   // those under way
    HostMemory host_rows_, host_blocks_, host_outcome_;
    DeviceMemory rows_, blocks_, outcome_;
};

}  // namespace trellis
