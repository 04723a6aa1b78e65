// Devices that take the place of those that fail.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trellis/ranks/comm/comm.hpp"
#include "trellis/run/all_forces.hpp"

namespace trellis {

class Spares {
  public:
    // names: of devices (devices/remote/open.hpp), or "host", the threads of this process; they are taken in this
    // order, each once. memory, grace: as for open_device.
    void set(std::vector<std::string> names, std::size_t memory, std::chrono::milliseconds grace);

    // Takes all forces off the devices that have failed on this rank. They go on with the others of their list; if none
    // is left, a spare takes the place, one for all that were on a device. A spare that cannot be opened is passed
    // over. False on all ranks if there are too few on any, or if no device could be replaced on any. Collective.
    bool replace(const std::vector<FailedForce>& failed, const std::vector<std::shared_ptr<Force>>& all, Comm& comm);

    // One sentence for each device that was replaced, since the last call.
    std::vector<std::string> take_notes();

  private:
    bool take_off(const FailedForce& failed, const std::vector<std::shared_ptr<Force>>& all);
    void give(Force& force, const Devices& devices);
    std::optional<std::shared_ptr<Device>> next(const std::string& failed);

    std::vector<std::string> names_;  // those not yet taken
    std::size_t memory_ = 0;
    std::chrono::milliseconds grace_{};
    std::deque<FailedForce> failed_;  // still to be taken off their devices
    std::vector<std::string> notes_;
};

}  // namespace trellis
