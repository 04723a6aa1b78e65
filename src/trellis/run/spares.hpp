// Devices that replace those that fail.
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
    // Spares are taken in their order, each once; pairs of devices may take some, too. replaced: devices that have
    // failed before.
    void set(std::shared_ptr<SpareDevices> devices, std::vector<std::string> replaced = {}) {
        devices_ = std::move(devices);
        replaced_ = std::move(replaced);
    }

    // Removes the devices that have failed on this rank from all forces. These continue with the others of their list;
    // if none is left, a spare replaces the device for all forces that were on it. Neighbour lists that a failed device
    // would have made are made by the host. Returns false on all ranks if spares do not suffice on one of them, or if
    // no device was replaced on any. Collective.
    bool replace(const std::vector<FailedForce>& failed, const std::vector<std::shared_ptr<Force>>& all, Comm& comm);

    // The names of the devices that were replaced.
    const std::vector<std::string>& replaced() const { return replaced_; }
    // One sentence for each device that was replaced, since the last call.
    std::vector<std::string> take_notes() { return devices_->take_notes(); }

  private:
    bool take_off(const FailedForce& failed, const std::vector<std::shared_ptr<Force>>& all);
    void give(Force& force, const Devices& devices);
    std::optional<std::shared_ptr<Device>> next(const std::string& failed);

    std::shared_ptr<SpareDevices> devices_ = std::make_shared<SpareDevices>();
    std::deque<FailedForce> failed_;  // still to be moved to other devices
    std::vector<std::string> replaced_;
};

}  // namespace trellis
