// A GPU as a device. Without CUDA at build time there are none.
#pragma once

#include <memory>

#include "trellis/devices/device.hpp"

namespace trellis {

int cuda_device_count();

// memory: bytes that may be used of the GPU's; 0: all that is free.
std::shared_ptr<Device> make_cuda_device(int number, std::size_t memory);

}  // namespace trellis
