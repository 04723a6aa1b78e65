// The processor as a device: each queue is a thread that works through its calls, and kernels use threads of their own.
#pragma once

#include <memory>
#include <string>

#include "trellis/devices/local_device.hpp"

namespace trellis {

// memory: bytes that the device will hand out. threads: their number for each kernel. name: cpu, or that of a copy.
std::shared_ptr<LocalDevice> make_cpu_device(std::size_t memory, int threads, const std::string& name = "cpu");

// The threads of this process as a device, whose memory has no limit.
std::shared_ptr<LocalDevice> threads_as_device();

}  // namespace trellis
