// One interaction of short range on devices: sends rows and blocks, receives sums.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trellis/forces/short_range/device/device_neighbours.hpp"
#include "trellis/forces/short_range/device/row_table.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"
#include "trellis/tree/sorted_columns.hpp"

namespace trellis {

class NeighbourLaunch {
  public:
    explicit NeighbourLaunch(std::shared_ptr<DeviceNeighbours> neighbours)
        : neighbours_(std::move(neighbours)),
          table_(neighbours_->shares().size()),
          parts_(neighbours_->shares().size()) {}
    // A failure is reported by the wait for the sums.
    ~NeighbourLaunch() { neighbours_->settle(); }
    NeighbourLaunch(const NeighbourLaunch&) = delete;
    NeighbourLaunch& operator=(const NeighbourLaunch&) = delete;

    // See DeviceNeighbours.
    bool left_to_host() const { return neighbours_->left_to_host(); }

    // Queues the interaction for the blocks of some rows; null: for all. columns: of local particles and ghosts, at
    // least those that the lists of these blocks name.
    void dispatch(const NeighbourKernels& kernels, const void* interaction, bool single,
                  const Neighbourhood& neighbourhood, const SortedColumns& columns, const NeighbourSelection* some,
                  Phases& phases);

    // Waits for the interaction dispatched last and writes its outcome. Throws DeviceError if a device failed, or a
    // sum is not finite.
    Work retrieve(const void* interaction, const NeighbourScene& scene, Phases& phases);

  private:
    struct BlockOfGroup {
        std::size_t group;
        std::uint32_t block;
    };
    // The part of the launch on one device.
    struct DevicePart {
        std::vector<ListedBlock> listed;
        std::vector<BlockOfGroup> names;  // of listed blocks, unless all are
        HostMemory host_blocks, host_outcome, host_table;
        DeviceMemory blocks, outcome, table;
        std::size_t table_value_bytes = 0;  // of the table of kinds that is there; 0: none
    };

    void list_blocks(const Neighbourhood& neighbourhood, const NeighbourSelection* some);
    void name_rows(const NeighbourLists& lists, const NeighbourSelection* some);
    void send(std::size_t k, const NeighbourKernels& kernels, const void* interaction);
    void send_table(const NeighbourShare& share, DevicePart& part, const void* interaction);
    Work write_back(const NeighbourShare& share, const DevicePart& part, const void* interaction,
                    const NeighbourScene& scene);
    template <class R>
    void write_rows(const Neighbourhood& neighbourhood, const SortedColumns& columns, std::size_t source_components);

    std::shared_ptr<DeviceNeighbours> neighbours_;
    NeighbourDeviceKernels kernels_{};  // the kernels in the precision in use
    RowTable table_;
    std::vector<DevicePart> parts_;  // one for each device
};

}  // namespace trellis
