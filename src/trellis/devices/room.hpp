// Memory that grows on demand.
#pragma once

#include <cstddef>
#include <memory>

#include "trellis/devices/device.hpp"

namespace trellis {

// The bytes requested and an eighth to spare, for slightly larger requests of later steps.
constexpr std::size_t with_spare(std::size_t bytes) { return bytes + bytes / 8; }

// Ensures that `memory` has `bytes` bytes. Memory that is too small is replaced by larger memory and its content is
// lost, so no queue may be using it.
template <class Memory>
void make_room(Memory& memory, const std::shared_ptr<Device>& device, std::size_t bytes) {
    if (memory.bytes() >= bytes) return;
    memory = {};
    memory = Memory(device, with_spare(bytes));
}

}  // namespace trellis
