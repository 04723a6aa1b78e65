// An AMD GPU as a device: "hip:0" and so on, in the order of its driver. A build without HIP has none (no_hip.cpp).
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "trellis/devices/local_device.hpp"

namespace trellis {

int hip_device_count();
// True if Trellis has kernels for the GPU.
bool hip_device_serves(int number);
// The GPUs that Trellis was built for, such as "gfx90a, gfx1100"; empty: it was built without HIP.
std::string_view hip_architectures();

// memory: bytes of the GPU's memory to use; 0: all that is free. Throws InputError if Trellis has no kernels for it.
std::shared_ptr<LocalDevice> make_hip_device(int number, std::size_t memory);

}  // namespace trellis
