// Devices by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trellis/devices/device.hpp"

namespace trellis {

// "cpu": this processor, as a device. "cuda:0", "cuda:1", ...: a GPU. memory: the bytes of its memory that may be used;
// 0: all. Throws InputError if there is no such device.
std::shared_ptr<Device> open_device(const std::string& name, std::size_t memory = 0);

// The names that open_device knows on this machine.
std::vector<std::string> device_names();

}  // namespace trellis
