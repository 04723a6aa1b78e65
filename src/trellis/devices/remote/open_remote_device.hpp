// A device that another machine lends, as the client has it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "trellis/devices/device.hpp"

namespace trellis {

// name: an address (transport/address.hpp). memory: the bytes wanted; 0: what the server gives. grace: see open_device.
// Throws InputError if the server has no such device, its key is not trusted, or it does not allow this client;
// RunError if it cannot be reached.
std::shared_ptr<Device> open_remote_device(const std::string& name, std::size_t memory,
                                           std::chrono::milliseconds grace);

}  // namespace trellis
