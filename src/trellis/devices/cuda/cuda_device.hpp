// A GPU as a device. A build without CUDA has none.
#pragma once

#include <memory>

#include "trellis/devices/local_device.hpp"

namespace trellis {

int cuda_device_count();

// memory: the bytes of the GPU's memory that may be used; 0: all that are free.
std::shared_ptr<LocalDevice> make_cuda_device(int number, std::size_t memory);

}  // namespace trellis
