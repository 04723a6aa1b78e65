// The work of devices for a force: printed by runs, read by the performance model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/devices/device.hpp"

namespace trellis {

// The work of the devices for the last force, and the time that it took.
struct DeviceUse {
    std::size_t batches = 0;  // of all devices together
    std::size_t bytes = 0;    // the most memory held, of all devices together
    bool in_blocks = false;   // on one device the particles did not fit all at once: its batches have own tables
    bool lists_kept = false;  // all devices keep the lists from step to step
    std::vector<std::uint64_t> pairs;  // in the lists of each device
    QueueTimes times;                  // of all queues of all devices together
};

}  // namespace trellis
