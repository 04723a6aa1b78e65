// The few values of a resident force that both the device and the host have to know.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "trellis/devices/device.hpp"
#include "trellis/tree/cell.hpp"

namespace trellis {

// The most levels of a tree. Its making may write two more values behind them.
inline constexpr std::size_t most_levels = key_bits + 1;

// Why forces are not to be used, the worse the larger.
inline constexpr std::uint32_t lists_outgrown = 1;  // a cell on a list would no longer be accepted
inline constexpr std::uint32_t lists_unfinished =
    2;  // tree or lists did not find room, or precision is not the right one

struct ResidentValues {
    std::uint32_t levels[most_levels + 2];  // the first cell of each level; behind the last level, the number of cells
    std::uint32_t cell_count;               // 0: there is no room for them
    std::uint32_t groups_found;
    std::uint32_t group_count;    // 0: there is no room for them
    std::uint32_t largest_group;  // its i-particles, or more
    std::uint32_t lists_invalid;  // 0: they are valid, else see above
    std::uint32_t not_finite;     // 1: a force was not finite
    std::uint64_t index_count;    // of all lists
    std::uint64_t pairs;          // interactions that the lists stand for
    Box root;
    double strength;  // of the root cell
};

class ResidentState {
  public:
    ResidentState(std::shared_ptr<Device> device, Queue& queue);

    const DeviceMemory& memory() const { return memory_; }

    // Queues a copy of the values as they are at this point of the queue.
    void ask();
    // Waits for the values asked for. Throws DeviceError, also if a force has not been finite by then.
    const ResidentValues& answer();
    const ResidentValues& read() { return ask(), answer(); }

  private:
    std::shared_ptr<Device> device_;
    Queue& queue_;
    DeviceMemory memory_;
    HostMemory host_;
    Mark asked_;
};

}  // namespace trellis
