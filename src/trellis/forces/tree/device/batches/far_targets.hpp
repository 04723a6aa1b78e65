// Lists of far cells on a device, and the local expansions of their targets (see device_far_field.hpp).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/forces/tree/device/batches/batch_kernel.hpp"
#include "trellis/forces/tree/device/batches/far_lists.hpp"

namespace trellis {

class FarTargets {
  public:
    // The memories, and the bytes that lists need of each.
    std::array<DeviceMemory*, 3> memories() { return {&targets_, &lists_, &locals_}; }
    static std::array<std::size_t, 3> sizes(const FarLists& lists, const BatchKernel& kernel) {
        return {lists.targets.size() * sizeof(FarTarget), lists.cells.size() * sizeof(std::uint32_t),
                lists.targets.size() * kernel.local_bytes};
    }
    std::size_t bytes_held() const { return targets_.bytes() + lists_.bytes() + locals_.bytes(); }

    // Queues the lists to be sent, to memories that have room for them.
    void send(const std::shared_ptr<Device>& device, Queue& queue, const FarLists& lists);
    // Queues the local expansions. cells: the table of all cells on the device.
    void make_locals(Queue& queue, const BatchKernel& kernel, const DeviceMemory& cells) const;

    std::uint32_t count() const { return count_; }
    const DeviceMemory& targets() const { return targets_; }
    const DeviceMemory& lists() const { return lists_; }
    const DeviceMemory& locals() const { return locals_; }

  private:
    std::uint32_t count_ = 0;
    HostMemory staged_targets_, staged_lists_;
    DeviceMemory targets_, lists_, locals_;
};

}  // namespace trellis
