// The share of one device in neighbour lists: the lists of its groups, and the queue of all work on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "trellis/devices/device.hpp"

namespace trellis {

struct NeighbourShare {
    explicit NeighbourShare(std::shared_ptr<Device> of) : device(std::move(of)), queue(device->make_queue()) {}

    std::shared_ptr<Device> device;
    std::unique_ptr<Queue> queue;
    std::size_t first_group = 0, end_group = 0;
    HostMemory staged, staged_factors;
    DeviceMemory entries;  // the lists of these groups, as far as they are made
    std::uint64_t entry_count = 0;
    DeviceMemory factors;  // of masked entries on them; null without excluded pairs
};

}  // namespace trellis
