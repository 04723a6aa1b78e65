// The processor as a device: each queue is a thread that carries out its calls; kernels use further threads.
#pragma once

#include <memory>
#include <string>

#include "trellis/devices/local_device.hpp"

namespace trellis {

// memory: bytes of the device. threads: their number for each kernel. name: cpu, or that of a copy.
std::shared_ptr<LocalDevice> make_cpu_device(std::size_t memory, int threads, const std::string& name = "cpu");

// The threads of this process as a device with unlimited memory.
std::shared_ptr<LocalDevice> threads_as_device();

}  // namespace trellis
