// Groups that are sent to a device together (paper, section 3: multiwalk), and their memory on the device.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "trellis/devices/device.hpp"
#include "trellis/forces/tree/device/batches/batch_kernels.hpp"
#include "trellis/forces/tree/device/batches/device_lists.hpp"
#include "trellis/forces/tree/device/batches/far_targets.hpp"
#include "trellis/forces/tree/device/batches/staged_memory.hpp"

namespace trellis {

// Tables that the batches of a device share.
struct SharedTables {
    const DeviceMemory& rows;
    const DeviceMemory& cells;  // with moments
    const FarTargets& trunk;
    Mark sent;  // after which they may be read
};

class DeviceBatch {
  public:
    DeviceBatch(std::shared_ptr<Device> device, Queue& queue) : device_(std::move(device)), queue_(&queue) {}

    // Bytes of device memory for these lists, with this many rows of their own.
    static std::size_t bytes(const ListCounts& counts, std::size_t own_rows, const BatchKernel& kernel);

    // Queues the lists of all parts to be sent and written out. order: of the results. own_rows: the batch's own table,
    // copied from the whole one; empty: the lists name rows of the table given to launch. Waits first until the device
    // has finished with the former content.
    void send(std::span<const DeviceLists> parts, const RowSelection& own_rows, const std::byte* whole_table,
              const BatchKernel& kernel, ResultOrder order = ResultOrder::groups);

    // Queues the forces: a result for each i-particle of the lists.
    void compute(const BatchKernel& kernel, const SharedTables& shared);
    const DeviceMemory& results() const { return results_; }
    // The groups, their far cells, and the targets with local expansions, of the lists sent.
    std::uint32_t group_count() const { return call_.group_count; }
    const DeviceMemory& far_groups() const { return far_groups_.memory(); }
    const FarTargets& far() const { return far_; }
    // Queues the forces, and the copy of the results to the host.
    void launch(const BatchKernel& kernel, const SharedTables& shared, std::byte* results);

    // Waits until all that was queued is done. Throws DeviceError.
    void wait() { queue_->wait(done_); }

    // The bytes of device memory that the batch has.
    std::size_t bytes_held();

  private:
    void make_room_for(const ListCounts& counts, std::size_t own_rows, const BatchKernel& kernel);
    std::array<DeviceMemory*, 9> memories();
    // The bytes that lists need of each memory.
    static std::array<std::size_t, 9> sizes(const ListCounts& counts, std::size_t own_rows, const BatchKernel& kernel);
    void send_lists(std::span<const DeviceLists> parts, const ListCounts& counts, ResultOrder order);
    void add_far_field(const BatchKernel& kernel, const SharedTables& shared, const DeviceMemory& rows);
    void send_rows(const RowSelection& rows, const std::byte* whole_table, std::size_t row_bytes);

    std::shared_ptr<Device> device_;
    Queue* queue_;
    StagedMemory groups_, ranges_, rows_, far_groups_;
    DeviceMemory indices_, results_;
    FarTargets far_;
    PairsCall call_{};
    std::size_t result_count_ = 0;
    bool has_own_rows_ = false;
    Mark done_{queue_, 0};
};

}  // namespace trellis
