// Uploads through memory of the host that a device copies from while the host computes.
#pragma once

#include <cstring>
#include <memory>
#include <span>

#include "trellis/devices/device.hpp"
#include "trellis/devices/room.hpp"

namespace trellis {

// The queue must have finished with the former content of the staging memory.
inline void upload_staged(const std::shared_ptr<Device>& device, Queue& queue, HostMemory& staging,
                          const DeviceMemory& memory, std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    make_room(staging, device, bytes.size());
    std::memcpy(staging.begin(), bytes.data(), bytes.size());
    queue.upload(memory, 0, {staging.begin(), bytes.size()});
}

}  // namespace trellis
