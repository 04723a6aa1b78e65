// The processor as a device: each queue is a thread that works through its calls, and kernels use threads of their own.
#pragma once

#include <memory>

#include "trellis/devices/local_device.hpp"

namespace trellis {

// memory: bytes that the device will hand out. threads: their number for each kernel.
std::shared_ptr<LocalDevice> make_cpu_device(std::size_t memory, int threads);

}  // namespace trellis
