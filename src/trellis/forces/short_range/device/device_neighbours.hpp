// Neighbour lists on devices: sent when they are new, kept there over reusing steps, the same for all interactions over
// them. Several devices share the groups by numbers of pairs. The host keeps what it needs to write the table of rows
// that lists name (see neighbour_blocks.hpp).
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/devices/devices.hpp"
#include "trellis/forces/device_client.hpp"
#include "trellis/forces/short_range/device/neighbour_share.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "trellis/lists/neighbours/neighbourhood.hpp"

namespace trellis {

class DeviceNeighbours {
  public:
    // devices: at least one.
    explicit DeviceNeighbours(const Devices& devices);
    ~DeviceNeighbours() { settle(); }
    DeviceNeighbours(const DeviceNeighbours&) = delete;
    DeviceNeighbours& operator=(const DeviceNeighbours&) = delete;

    // Queues the lists to be sent, unless the devices have them. slots: the number of local particles and ghosts.
    // Throws DeviceError if a device has no room.
    void send(const Neighbourhood& neighbourhood, std::size_t slots, Phases& phases);

    // A local particle that is in the table a second time, moved by the shift of an image.
    struct ImageRow {
        std::uint32_t slot, image;
    };
    // The image rows in order, behind the rows of all slots.
    std::span<const ImageRow> images() const { return images_; }

    // The blocks of a group.
    std::span<const ListedBlock> blocks(std::size_t group) const {
        return std::span(blocks_).subspan(first_block_[group], first_block_[group + 1] - first_block_[group]);
    }
    // The share of each device.
    std::span<const NeighbourShare> shares() const { return shares_; }

    // Waits for all devices, even if one of them has failed. settle returns the failure, or null.
    void wait();
    std::exception_ptr settle();

    // The use of the devices since the step began.
    void begin_step() { use_.times = {}; }
    void note_use();
    const DeviceUse& use() const { return use_; }

  private:
    void number_images(const NeighbourLists& lists, std::size_t slots);
    std::span<const std::uint32_t> list_of(const NeighbourGroup& group, std::size_t g, std::uint32_t b) const;
    void lay_out(const NeighbourLists& lists);
    void share_out(const NeighbourLists& lists);
    void send(NeighbourShare& share, const NeighbourLists& lists);
    void write_entries(std::size_t group, const NeighbourLists& lists, std::uint32_t* entries, double* factors) const;

    std::vector<NeighbourShare> shares_;
    std::uint64_t number_ = 0;  // number of the lists on the devices
    std::vector<ListedBlock> blocks_;
    std::vector<std::size_t> first_block_;  // first block of each group, and the end
    std::vector<std::size_t> first_range_;
    std::vector<std::uint32_t> range_rows_;  // first row of each range
    std::vector<ImageRow> images_;
    std::vector<GroupBlocks> masked_;  // of each group, until the lists are sent; empty without excluded pairs
    DeviceUse use_;
};

}  // namespace trellis
