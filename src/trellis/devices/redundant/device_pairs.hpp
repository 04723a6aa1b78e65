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
    // spares: where a third comes from; the devices of all pairs are added, and those that are left without another.
    explicit DevicePairs(std::shared_ptr<SpareDevices> spares) : spares_(std::move(spares)) {}

    // The first two of a list as one, the next two, and so on (redundant_device.hpp). Forces that name the same two
    // share a pair. Throws InputError if there is one alone, or if the two of a pair are of different kinds.
    Devices of(const Devices& devices);

  private:
    std::shared_ptr<Device> pair_of(const std::shared_ptr<Device>& first, const std::shared_ptr<Device>& second);

    std::shared_ptr<SpareDevices> spares_;
    std::map<std::pair<std::string, std::string>, std::shared_ptr<Device>> made_;
};

}  // namespace trellis
