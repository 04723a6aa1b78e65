// Lists of far cells on a device, and the local expansions of their targets (see device_far_field.hpp).
#pragma once

#include <array>
#include <memory>

#include "trellis/devices/device.hpp"
#include "trellis/forces/tree/device/batches/batch_kernels.hpp"
#include "trellis/forces/tree/device/batches/far_lists.hpp"
#include "trellis/forces/tree/device/batches/staged_memory.hpp"

namespace trellis {

class FarTargets {
  public:
    // The memories, and the bytes that lists need of each.
    std::array<DeviceMemory*, 3> memories() { return {&targets_.memory(), &lists_.memory(), &locals_}; }
    static std::array<std::size_t, 3> sizes(const FarCounts& counts, const BatchKernel& kernel) {
        return {counts.targets * sizeof(FarTarget), counts.cells * sizeof(std::uint32_t),
                counts.targets * kernel.local_bytes};
    }
    std::size_t bytes_held() const { return targets_.memory().bytes() + lists_.memory().bytes() + locals_.bytes(); }

    // Room on the host for targets and their lists; none for groups.
    FarPlaces stage(const std::shared_ptr<Device>& device, const FarCounts& counts);
    // Queues them to be sent, to memories that have room for them.
    void send(Queue& queue) const;
    // Queues the local expansions. cells: the table of all cells on the device.
    void make_locals(Queue& queue, const BatchKernel& kernel, const DeviceMemory& cells) const;

    std::uint32_t count() const { return count_; }
    const DeviceMemory& targets() const { return targets_.memory(); }
    const DeviceMemory& lists() const { return lists_.memory(); }
    const DeviceMemory& locals() const { return locals_; }

  private:
    std::uint32_t count_ = 0;
    StagedMemory targets_, lists_;
    DeviceMemory locals_;
};

}  // namespace trellis
