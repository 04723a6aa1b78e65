// Groups that are sent to a device together (paper, section 3: multiwalk), and their memory on the device.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/forces/tree/device/device_lists.hpp"
#include "trellis/packing/moving_numbers.hpp"

namespace trellis {

// The interaction, as far as a batch depends on it.
struct BatchKernel {
    std::string name;                  // pairs_kernel(...)
    std::vector<std::byte> constants;  // PairsCall and the interaction
    NumberRecords row;
    std::size_t row_bytes;
    std::size_t result_bytes;  // for one i-particle
};

class DeviceBatch {
  public:
    DeviceBatch(std::shared_ptr<Device> device, Queue& queue) : device_(std::move(device)), queue_(&queue) {}

    // Bytes of device memory for these lists, with this many rows of their own.
    static std::size_t bytes(const DeviceLists& lists, std::size_t own_rows, const BatchKernel& kernel);

    // Queues the lists to be sent and written out. own_rows: the batch's own table, copied from the whole one; empty:
    // the lists name rows of the table given to launch. Waits first until the device has finished with the former
    // content.
    void send(const DeviceLists& lists, const RowSelection& own_rows, const std::byte* whole_table,
              const BatchKernel& kernel);

    // Queues the forces, and the copy of a result for each i-particle of the lists to the host. shared_table_sent: the
    // mark after which the table may be read.
    void launch(const BatchKernel& kernel, const DeviceMemory& shared_table, const Mark& shared_table_sent,
                std::byte* results);

    // Waits until all that was queued is done. Throws DeviceError.
    void wait() { queue_->wait(done_); }

    // The bytes of device memory that the batch has.
    std::size_t bytes_held() const {
        return groups_.bytes() + ranges_.bytes() + indices_.bytes() + rows_.bytes() + results_.bytes();
    }

  private:
    void make_room_for(const DeviceLists& lists, std::size_t own_rows, const BatchKernel& kernel);
    void upload(HostMemory& staging, const DeviceMemory& memory, std::span<const std::byte> bytes);
    void send_rows(const RowSelection& rows, const std::byte* whole_table, std::size_t row_bytes);

    std::shared_ptr<Device> device_;
    Queue* queue_;
    HostMemory staged_groups_, staged_ranges_, staged_rows_;
    DeviceMemory groups_, ranges_, indices_, rows_, results_;
    PairsCall call_{};
    std::size_t result_count_ = 0;
    bool has_own_rows_ = false;
    Mark done_{queue_, 0};
};

}  // namespace trellis
