// A device of OpenCL as a device of Trellis: "opencl:0" and so on, in the order of the loader's platforms. A build
// without OpenCL has none (no_opencl.cpp).
#pragma once

#include <cstddef>
#include <memory>

#include "trellis/devices/local_device.hpp"

namespace trellis {

int opencl_device_count();
// True if Trellis can use the device.
bool opencl_device_serves(int number);
// True if it is a GPU that Trellis can use.
bool opencl_device_is_gpu(int number);

// memory: bytes of the device's memory to use; 0: all. Throws InputError if Trellis cannot use the device: it has no
// unified shared memory, takes no SPIR-V, or has no double precision.
std::shared_ptr<LocalDevice> make_opencl_device(int number, std::size_t memory);

}  // namespace trellis
