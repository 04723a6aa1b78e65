// A GPU as a device. A build without CUDA has no GPUs.
#pragma once

#include <memory>

#include "trellis/devices/local_device.hpp"

namespace trellis {

int cuda_device_count();

// memory: bytes of the GPU's memory to use; 0: all that is free.
std::shared_ptr<LocalDevice> make_cuda_device(int number, std::size_t memory);

}  // namespace trellis
