// Memory of a device, filled from memory of the host that the device copies while the host computes.
#pragma once

#include <memory>

#include "trellis/devices/device.hpp"
#include "trellis/devices/room.hpp"

namespace trellis {

class StagedMemory {
  public:
    // Room on the host for `count` values. The queue must have finished with the former ones.
    template <class T>
    T* stage(const std::shared_ptr<Device>& device, std::size_t count) {
        staged_bytes_ = count * sizeof(T);
        make_room(host_, device, staged_bytes_);
        return reinterpret_cast<T*>(host_.begin());
    }
    // Queues what is staged to be sent. The device's memory has room for it.
    void send(Queue& queue) const {
        if (staged_bytes_ > 0) queue.upload(memory_, 0, {host_.begin(), staged_bytes_});
    }

    DeviceMemory& memory() { return memory_; }
    const DeviceMemory& memory() const { return memory_; }

  private:
    HostMemory host_;
    DeviceMemory memory_;
    std::size_t staged_bytes_ = 0;
};

}  // namespace trellis
