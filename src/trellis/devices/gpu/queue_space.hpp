// Work space of the kernels of a queue, one call after the other: see LaunchQueue.
#pragma once

#include <cstddef>

#include "trellis/devices/device.hpp"

namespace trellis {

class QueueSpace {
  public:
    // At least `bytes` bytes of the device. finish waits for the queue, whose kernels use what there was.
    template <class Finish>
    std::byte* of(std::size_t bytes, Device& device, Finish&& finish) {
        if (memory_.bytes() < bytes) {
            finish();
            memory_ = DeviceMemory();
            memory_ = DeviceMemory(device.shared_from_this(), bytes);
        }
        return memory_.address();
    }

  private:
    DeviceMemory memory_;
};

}  // namespace trellis
