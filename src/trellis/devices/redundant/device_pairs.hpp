// Pairs of devices whose results are compared.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "trellis/devices/devices.hpp"
#include "trellis/devices/redundant/spare_devices.hpp"

namespace trellis {

class DevicePairs {
  public:
    // spares: provides third devices. Devices of pairs, and a last one without a partner, are added to it.
    explicit DevicePairs(std::shared_ptr<SpareDevices> spares) : spares_(std::move(spares)) {}

    // Combines the first two devices of a list into one (redundant_device.hpp), the next two, and so on. Forces that
    // name the same two devices share a pair. Throws InputError if the list has one device, or a pair has different
    // kinds.
    Devices of(const Devices& devices);

  private:
    std::shared_ptr<Device> pair_of(const std::shared_ptr<Device>& first, const std::shared_ptr<Device>& second);

    std::shared_ptr<SpareDevices> spares_;
    std::map<std::pair<std::string, std::string>, std::shared_ptr<Device>> made_;
};

}  // namespace trellis
