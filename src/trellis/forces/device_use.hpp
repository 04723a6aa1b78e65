// The work of devices for a force: printed by runs, read by the performance model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/devices/device.hpp"

namespace trellis {

// The work of the devices for the last force, and the time that it took.
struct DeviceUse {
    std::size_t batches = 0;
    std::size_t bytes = 0;   // of device memory that were held, most
    bool in_blocks = false;  // the particles did not fit into its memory all at once: each batch has a table of its own
    bool lists_kept = false;           // the device keeps the lists from step to step
    std::vector<std::uint64_t> pairs;  // of each device, as the lists have them
    QueueTimes times;                  // of all queues together
};

}  // namespace trellis
