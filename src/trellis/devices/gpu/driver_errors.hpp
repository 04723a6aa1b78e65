// Errors of a GPU's driver, as those of the device.
#pragma once

#include <exception>
#include <string>

#include "trellis/devices/device.hpp"

namespace trellis {

// Runs calls of a driver. Throws DeviceError for the device of this name if one fails.
template <class Calls>
void or_throw(const std::string& device, Calls&& calls) {
    try {
        calls();
    } catch (const std::exception& error) {
        throw DeviceError(device, std::string("failed: ") + error.what());
    }
}

}  // namespace trellis
