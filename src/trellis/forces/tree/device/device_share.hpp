// The share of one device in the forces of a step: batches of groups over its queues, and a copy of the table of rows.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/forces/tree/device/batches/device_batch.hpp"
#include "trellis/forces/tree/device/batches/device_cells.hpp"
#include "trellis/forces/tree/settings.hpp"
#include "trellis/forces/work.hpp"

namespace trellis {

// A group whose lists have been sent.
struct SentGroup {
    std::uint32_t first_result;  // index of its first i-particle among the results of its batch
    std::uint32_t slot;          // of its first i-particle, in tree order
    std::uint32_t count;         // i-particles
};

// Lists that have been sent together, and the place on the host for the results of their i-particles.
struct SentLists {
    std::vector<SentGroup> groups;
    ListCounts counts;
    std::byte* results;
};

// Far cells that are no rows.
struct FarTables {
    HostCells cells;
    FarLists trunk;  // the targets of the trunk
};

class DeviceShare {
  public:
    // kernel: may change between calls; it outlives the share.
    DeviceShare(std::shared_ptr<Device> device, Send send, const BatchKernel& kernel);
    // A failure is reported by the wait for the forces.
    ~DeviceShare() { settle(); }
    DeviceShare(const DeviceShare&) = delete;
    DeviceShare& operator=(const DeviceShare&) = delete;

    // Makes room for the tables of a step with new lists. bytes: of the table of all rows.
    void make_room(std::size_t bytes, const FarTables& far);
    // True if there is room for the table of all rows.
    bool has_table() const { return table_.bytes() > 0; }
    // Takes the table of all rows, which stays on the host until the forces are known, and queues it to be sent if
    // there is room. new_lists: lists will follow. stays: the next tables have rows of the same particles and cells.
    void take_table(std::span<const std::byte> rows, const FarTables& far, bool new_lists, bool stays);
    // Forgets the lists that were sent.
    void forget();
    // Sends lists and begins their forces, in several batches if the device has no room for one. Results are written to
    // the given place. Returns the place behind them.
    std::byte* send(std::span<const DeviceLists> parts, std::byte* results);
    // Begins the forces of the lists that are on the device: lists_stay().
    void launch_again();
    // True if the device has room for all lists at once. Then no batch waits for the memory of another.
    bool lists_stay() const { return lists_stay_; }

    // Waits for all queues, even if one of them has failed, so that no queue uses memory that is about to be released.
    // Returns the failure, or null.
    std::exception_ptr settle();

    const Device& device() const { return *device_; }
    const std::deque<SentLists>& sent() const { return sent_; }
    std::uint64_t pairs() const { return pairs_; }
    // The work of the lists sent.
    Work work() const;
    // True if the rows do not fit into the device's memory all at once: each batch has a table of its own.
    bool in_blocks() const { return in_blocks_; }
    bool batches_have_rows() const { return send_ == Send::particles || in_blocks_; }
    QueueTimes take_times();

  private:
    std::size_t bytes_of_tables() const { return table_.bytes() + cells_.bytes_held() + trunk_.bytes_held(); }
    bool fits(const ListCounts& counts, std::size_t own_rows);
    RowSelection rows_of(DeviceLists& lists);
    void use_queues(std::size_t count);
    DeviceBatch& next_batch();
    void launch(DeviceBatch& batch, const SentLists& sent);

    std::shared_ptr<Device> device_;
    Send send_;
    const BatchKernel& kernel_;
    std::vector<std::unique_ptr<Queue>> queues_;
    std::size_t queues_in_use_ = 0;
    bool room_for_all_ = true;  // until an allocation fails
    bool lists_stay_ = false;   // on the device until the next construction: each batch has its own memory
    bool in_blocks_ = false;

    std::span<const std::byte> rows_;  // on the host
    DeviceMemory table_;
    DeviceCells cells_;
    FarTargets trunk_;
    Mark tables_sent_;
    std::vector<std::uint32_t> numbers_;  // see select_rows
    std::deque<DeviceBatch> batches_;
    std::deque<SentLists> sent_;
    std::uint64_t pairs_ = 0;  // on the lists sent
};

}  // namespace trellis
