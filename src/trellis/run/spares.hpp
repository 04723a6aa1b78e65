// Devices that take the place of those that fail.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

class Spares {
  public:
    // names: of devices (devices/remote/open.hpp), or "host", the threads of this process; they are taken in this
    // order, each once. memory: as for open_device.
    void set(std::vector<std::string> names, std::size_t memory);

    // Gives these forces, whose devices have failed on this rank, other devices: the same one to those that shared one.
    // A spare that cannot be opened is passed over. False on all ranks if there are too few on any. Collective.
    bool replace(const std::vector<Force*>& failed, Comm& comm);

    // One sentence for each device that was replaced, since the last call.
    std::vector<std::string> take_notes();

  private:
    bool replace_here(const std::vector<Force*>& failed);

    std::vector<std::string> names_;  // those not yet taken
    std::size_t memory_ = 0;
    std::vector<std::string> notes_;
};

}  // namespace trellis
