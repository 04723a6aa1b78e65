// One interaction of short range on devices: sends rows and blocks, receives sums.
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
    explicit NeighbourLaunch(std::shared_ptr<DeviceNeighbours> neighbours)
        : neighbours_(std::move(neighbours)), parts_(neighbours_->shares().size()) {}
    // A failure is reported by the wait for the sums.
    ~NeighbourLaunch() { neighbours_->settle(); }
    NeighbourLaunch(const NeighbourLaunch&) = delete;
    NeighbourLaunch& operator=(const NeighbourLaunch&) = delete;

    // Queues the interaction for groups whose flag is not 0; empty flags: for all. columns: of local particles and
    // ghosts.
    void dispatch(const NeighbourKernels& kernels, const void* interaction, bool single,
                  const Neighbourhood& neighbourhood, const SortedColumns& columns,
                  std::span<const std::uint8_t> groups, Phases& phases);

    // Waits for the interaction dispatched last and writes its outcome. Throws DeviceError if a device failed, or a
    // sum is not finite.
    Work retrieve(const void* interaction, const NeighbourScene& scene, Phases& phases);

  private:
    // The part of the launch on one device.
    struct DevicePart {
        std::vector<ListedBlock> listed;
        HostMemory host_blocks, host_outcome, host_table;
        DeviceMemory rows, blocks, outcome, table;
        std::size_t table_value_bytes = 0;  // of the table that is there; 0: none
    };

    void list_blocks(std::span<const std::uint8_t> groups);
    void send(const NeighbourShare& share, DevicePart& part, const NeighbourKernels& kernels, const void* interaction);
    void send_table(const NeighbourShare& share, DevicePart& part, const void* interaction);
    Work write_back(const NeighbourShare& share, const DevicePart& part, const void* interaction,
                    const NeighbourScene& scene);
    template <class R>
    void write_rows(const NeighbourLists& lists, const SortedColumns& columns, std::size_t source_components);

    std::shared_ptr<DeviceNeighbours> neighbours_;
    NeighbourDeviceKernels kernels_{};  // the kernels in the precision in use
    HostMemory host_rows_;
    std::size_t table_bytes_ = 0;
    std::vector<DevicePart> parts_;  // one for each device
};

}  // namespace trellis
