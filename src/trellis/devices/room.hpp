// Memory that grows when more is needed.
#pragma once

#include <cstddef>
#include <memory>

#include "trellis/devices/device.hpp"

namespace trellis {

// The bytes asked for and some to spare, so that a little more at the next step finds room, too.
constexpr std::size_t with_spare(std::size_t bytes) { return bytes + bytes / 8; }

// Makes room for this many bytes. Memory that is too small is replaced, with some to spare: its content is lost, so no
// queue may be at work on it.
template <class Memory>
void make_room(Memory& memory, const std::shared_ptr<Device>& device, std::size_t bytes) {
    if (memory.bytes() >= bytes) return;
    memory = {};
    memory = Memory(device, with_spare(bytes));
}

}  // namespace trellis
