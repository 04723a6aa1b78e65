// Opens a device that another machine lends.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "trellis/devices/device.hpp"

namespace trellis {

// name: an address (transport/addresses/address.hpp). memory: bytes; 0: as much as the server gives. grace: see
// open_device. Throws InputError if the server has no such device, its key is not trusted, or it does not allow this
// client; RunError if it cannot be reached.
std::shared_ptr<Device> open_remote_device(const std::string& name, std::size_t memory,
                                           std::chrono::milliseconds grace);

}  // namespace trellis
