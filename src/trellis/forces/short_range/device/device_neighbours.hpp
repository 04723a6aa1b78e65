// Neighbour lists on devices: sent when they are new, group by group, kept there over reusing steps, the same for all
// interactions over them. Several devices share the groups by numbers of pairs. The host keeps what it needs to write
// the table of rows that lists name (see neighbour_blocks.hpp).
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/devices/devices.hpp"
#include "trellis/forces/active_rows.hpp"
#include "trellis/forces/device_client.hpp"
#include "trellis/forces/short_range/device/group_rows.hpp"
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

    // Queues the lists that are made to be sent, but for those that the devices have. slots: the number of local
    // particles and ghosts. Throws DeviceError if a device has no room.
    void send(const Neighbourhood& neighbourhood, std::size_t slots, Phases& phases);

    // The image rows in order, behind the rows of all slots.
    std::span<const ImageRow> images() const { return images_; }

    // The blocks of a group.
    std::span<const ListedBlock> blocks(std::size_t group) const {
        return std::span(blocks_).subspan(first_block_[group], first_block_[group + 1] - first_block_[group]);
    }
    // Calls of_row(row) for the i-particles of block b of a group and for each row on its list, of the lists that were
    // sent last.
    template <class OfRow>
    void each_row(const NeighbourLists& lists, std::size_t g, std::uint32_t b, OfRow&& of_row) const {
        const NeighbourGroup& group = lists.groups()[g];
        const ListedBlock& block = blocks(g)[b];
        for (std::uint32_t row = block.first; row < block.first + block.count; ++row) of_row(row);
        GroupRows rows(group, rows_of_ranges(g, group));
        for (const std::uint32_t j : group.list(b)) of_row(rows(j));
    }
    // The share of each device.
    std::span<const NeighbourShare> shares() const { return shares_; }

    // Waits for all devices, even if one of them has failed. settle returns the failure, or null.
    void wait();
    std::exception_ptr settle();

    // The use of the devices since the step began. active: the rows of the step.
    void begin_step(const ActiveRows& active);
    // True if the step has some active rows, so few that the host evaluates them sooner than a device is called.
    bool left_to_host() const { return left_to_host_; }
    void note_use();
    const DeviceUse& use() const { return use_; }

  private:
    void begin(const NeighbourLists& lists);
    void number_images(const NeighbourLists& lists, std::span<const std::uint32_t> groups, std::size_t slots);
    std::span<const std::uint32_t> rows_of_ranges(std::size_t g, const NeighbourGroup& group) const {
        return std::span(range_rows_).subspan(first_range_[g], group.ranges.size());
    }
    std::span<const std::uint32_t> list_of(const NeighbourGroup& group, std::size_t g, std::uint32_t b) const;
    void lay_out(const NeighbourLists& lists, std::size_t g);
    void share_out(const NeighbourLists& lists);
    void send(NeighbourShare& share, const NeighbourLists& lists, std::span<const std::uint32_t> groups);
    void count_pairs();
    void write_entries(std::size_t g, const NeighbourLists& lists, std::uint64_t first, std::uint32_t* entries,
                       double* factors) const;

    std::vector<NeighbourShare> shares_;
    std::uint64_t number_ = 0;               // number of the lists on the devices
    std::vector<std::uint8_t> sent_;         // of each group: 1 if the lists of its blocks are there
    std::vector<ListedBlock> blocks_;        // with lists where these were sent
    std::vector<std::size_t> first_block_;   // first block of each group, and the end
    std::vector<std::size_t> first_range_;   // of each group that was sent
    std::vector<std::uint32_t> range_rows_;  // first row of each range
    std::vector<ImageRow> images_;
    std::vector<GroupBlocks> masked_;  // of each group, until the lists are sent; empty without excluded pairs
    bool left_to_host_ = false;
    DeviceUse use_;
};

}  // namespace trellis
