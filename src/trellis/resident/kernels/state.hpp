// The few values of a resident force that both the device and the host read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "trellis/devices/device.hpp"
#include "trellis/tree/cell.hpp"

namespace trellis {

// The largest number of levels of a tree. While it is built, two more values behind them may be written.
inline constexpr std::size_t most_levels = key_bits + 1;

// Reasons why forces cannot be used; a larger value is a worse reason.
inline constexpr std::uint32_t lists_outgrown = 1;    // a cell on a list would no longer be accepted
inline constexpr std::uint32_t lists_unfinished = 2;  // memory did not suffice, or the precision was wrong

struct ResidentValues {
    std::uint32_t levels[most_levels + 2];  // the first cell of each level; behind the last level, the number of cells
    std::uint32_t cell_count;               // 0: memory did not suffice
    std::uint32_t groups_found;
    std::uint32_t group_count;    // 0: memory did not suffice
    std::uint32_t largest_group;  // upper limit of its i-particles
    std::uint32_t lists_invalid;  // 0: valid, else a reason above
    std::uint32_t not_finite;     // 1: a force was not finite
    std::uint64_t index_count;    // total of all lists
    std::uint64_t pairs;          // interactions that the lists represent
    Box root;
    double strength;  // strength of the root cell
};

class ResidentState {
  public:
    ResidentState(std::shared_ptr<Device> device, Queue& queue);

    const DeviceMemory& memory() const { return memory_; }

    // Sets all values to zero.
    void clear();
    // Queues a copy of the values at this point of the queue.
    void ask();
    // Waits for the copy. Throws DeviceError if the device has failed, or if a force before it was not finite.
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
