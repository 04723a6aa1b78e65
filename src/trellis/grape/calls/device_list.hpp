// The devices of the GRAPE calls.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trellis/devices/device.hpp"

namespace trellis {

// The devices that the environment variable TRELLIS_GRAPE_DEVICE names (a name as open_device takes it, or several
// separated by commas; "cpu" if it is not set), each opened once. Not thread-safe.
class GrapeDeviceList {
  public:
    // Throws InputError naming the variable if it is empty between two commas or names no device.
    GrapeDeviceList();

    // The device at index `number` of the list, modulo its length: of two devices, 0 and 2 are the first.
    std::shared_ptr<Device> device(std::size_t number);

  private:
    std::vector<std::string> names_;
    std::map<std::string, std::shared_ptr<Device>> open_;
};

}  // namespace trellis
