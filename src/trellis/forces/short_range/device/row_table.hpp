// The table of rows that lists name (see neighbour_blocks.hpp), on the host and on devices. A device is sent only the
// rows that its lists name and that it does not have as they are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/device.hpp"

namespace trellis {

class RowTable {
  public:
    static constexpr std::size_t stretch = 16;  // consecutive rows that are sent together, those of a block of slots

    explicit RowTable(std::size_t devices) : copies_(devices) {}

    // Begins an evaluation that names none of these rows yet. host: the device that allocates the host's table. No
    // queue may be using the table. Throws DeviceError if a device has no room.
    void begin(std::size_t rows, std::size_t row_bytes, const std::shared_ptr<Device>& host);

    // The lists of device k name all rows, or these; several threads may call the latter.
    void name_all(std::size_t k) { std::ranges::fill(copies_[k].named, std::uint8_t{1}); }
    void name(std::size_t k, std::size_t row) {
        std::atomic_ref(copies_[k].named[row / stretch]).store(1, std::memory_order_relaxed);
    }

    // Calls write(number, row) for each row of the stretches that are named, on several threads. It writes the whole
    // row, and returns true if that was another one before.
    template <class Write>
    void write(Write&& write) {
        const std::uint32_t now = ++evaluation_;
        parallel_blocks(rows_, stretch, [&](std::size_t first, std::size_t end) {
            const std::size_t s = first / stretch;
            if (std::ranges::none_of(copies_, [s](const Copy& copy) { return copy.named[s] != 0; })) return;
            bool others = changed_[s] == 0;
            for (std::size_t number = first; number < end; ++number)
                if (write(number, host_.begin() + number * row_bytes_)) others = true;
            if (others) changed_[s] = now;
        });
    }

    // Queues what device k lacks of the rows that its lists name, in few copies.
    void send(std::size_t k, const std::shared_ptr<Device>& device, Queue& queue);
    const DeviceMemory& on_device(std::size_t k) const { return copies_[k].memory; }

  private:
    // The table on a device.
    struct Copy {
        DeviceMemory memory;
        std::vector<std::uint8_t> named;  // of each stretch: 1 if the lists name a row of it
        std::vector<std::uint32_t> sent;  // of each stretch: changed_ when it was sent; 0: never
    };

    std::size_t stretch_bytes() const { return stretch * row_bytes_; }

    std::size_t rows_ = 0, row_bytes_ = 0;
    HostMemory host_;
    std::uint32_t evaluation_ = 0;
    std::vector<std::uint32_t> changed_;  // of each stretch: the evaluation that has changed it; 0: none has written it
    std::vector<Copy> copies_;            // one for each device
};

}  // namespace trellis
