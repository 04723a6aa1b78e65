// Memory that grows when more is needed.
#pragma once

#include <memory>

#include "trellis/devices/device.hpp"

namespace trellis {

// Makes room for so many bytes, and some to spare, so that a little more at the next step finds room, too. What was there is lost if there was too
// little, so no queue must be at work on it.
template <class Memory>
void make_room(Memory& memory, const std::shared_ptr<Device>& device, std::size_t bytes) {
    if (memory.bytes() >= bytes) return;
    memory = {};
    memory = Memory(device, bytes + bytes / 8);
}

}  // namespace trellis
