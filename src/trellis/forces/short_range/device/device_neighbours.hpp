// Neighbour lists as a device has them: sent when they are new, kept there over reusing steps, the same for all
// interactions over them. The host keeps what it needs to write the table of rows that they name (see
// neighbour_blocks.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/devices/device.hpp"
#include "trellis/forces/device_use.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "trellis/lists/neighbours/neighbour_lists.hpp"

namespace trellis {

class DeviceNeighbours {
  public:
    explicit DeviceNeighbours(std::shared_ptr<Device> device);
    ~DeviceNeighbours() { queue_->settle(); }
    DeviceNeighbours(const DeviceNeighbours&) = delete;
    DeviceNeighbours& operator=(const DeviceNeighbours&) = delete;

    // Queues the lists for sending, unless they are there. slots: the number of local particles and ghosts. Throws
    // DeviceError if the device has no room.
    void send(const NeighbourLists& lists, std::size_t slots, Phases& phases);

    // A local particle that stands in the table once more, moved by the shift of an image.
    struct ImageRow {
        std::uint32_t slot, image;
    };
    // The image rows in order; they come behind those of all slots.
    std::span<const ImageRow> images() const { return images_; }

    // The blocks of a group.
    std::span<const ListedBlock> blocks(std::size_t group) const {
        return std::span(blocks_).subspan(first_block_[group], first_block_[group + 1] - first_block_[group]);
    }
    const DeviceMemory& entries() const { return entries_; }

    const std::shared_ptr<Device>& device() const { return device_; }
    // The queue that all work on the lists must go through.
    Queue& queue() { return *queue_; }

    // The use of the device since the step began.
    void begin_step() { use_.times = {}; }
    void note_use();
    const DeviceUse& use() const { return use_; }

  private:
    void number_images(const NeighbourLists& lists, std::size_t slots);
    void lay_out(const NeighbourLists& lists);
    void write_entries(const NeighbourGroup& group, std::span<const std::uint32_t> range_rows,
                       std::uint32_t* out) const;

    std::shared_ptr<Device> device_;
    std::unique_ptr<Queue> queue_;
    std::uint64_t number_ = 0;  // of the lists on the device
    std::vector<ListedBlock> blocks_;
    std::vector<std::size_t> first_block_;  // of each group, and the end
    std::vector<std::size_t> first_range_;
    std::vector<std::uint32_t> range_rows_;  // where the rows of each range begin
    std::vector<ImageRow> images_;
    HostMemory staged_;
    DeviceMemory entries_;
    DeviceUse use_;
};

}  // namespace trellis
