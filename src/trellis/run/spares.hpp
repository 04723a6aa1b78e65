// Devices that take the place of those that fail.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trellis/devices/redundant/spare_devices.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/run/all_forces.hpp"

namespace trellis {

class Spares {
  public:
    // They are taken in their order, each once; pairs of devices may take some, too.
    void set(std::shared_ptr<SpareDevices> devices) { devices_ = std::move(devices); }

    // Takes all forces off the devices that have failed on this rank. They go on with the others of their list; if none
    // is left, a spare takes the place, one for all that were on a device; the lists that a device was asked for are
    // made by the host. False on all ranks if there are too few on any, or if no device could be replaced on any.
    // Collective.
    bool replace(const std::vector<FailedForce>& failed, const std::vector<std::shared_ptr<Force>>& all, Comm& comm);

    // One sentence for each device that was replaced, since the last call.
    std::vector<std::string> take_notes() { return devices_->take_notes(); }

  private:
    bool take_off(const FailedForce& failed, const std::vector<std::shared_ptr<Force>>& all);
    void give(Force& force, const Devices& devices);
    std::optional<std::shared_ptr<Device>> next(const std::string& failed);

    std::shared_ptr<SpareDevices> devices_ = std::make_shared<SpareDevices>();
    std::deque<FailedForce> failed_;  // still to be taken off their devices
};

}  // namespace trellis
