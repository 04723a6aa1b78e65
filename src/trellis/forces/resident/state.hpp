// The few values of a resident force that both the device and the host have to know.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "trellis/devices/device.hpp"
#include "trellis/tree/cell.hpp"

namespace trellis {

// Levels of a tree, and what its making may write behind them.
inline constexpr std::size_t most_levels = key_bits + 1;

struct ResidentValues {
    std::uint32_t
        levels[most_levels + 2];  // where each level of cells begins; from the end of the last on, the number of cells
    std::uint32_t group_count;
    std::uint32_t largest_group;  // i-particles, or more
    std::uint32_t lists_broken;   // 1: a cell on a list would no longer be accepted
    std::uint32_t not_finite;     // 1: a force was not
    std::uint64_t index_count;    // of all lists
    std::uint64_t pairs;          // interactions that the lists stand for
    Box root;
    double strength;  // of the root cell
};

class ResidentState {
  public:
    ResidentState(std::shared_ptr<Device> device, Queue& queue);

    const DeviceMemory& memory() const { return memory_; }

    // Asks for the values as they are at this point of the queue.
    void ask();
    // Waits for what was asked for. Throws DeviceError, also if a force has not been finite by then.
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
