#include "trellis/forces/tree/device/device_batch.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"

namespace trellis {

std::size_t DeviceBatch::bytes(const DeviceLists& lists, std::size_t own_rows, const BatchKernel& kernel) {
    return with_spare(lists.groups.size() * sizeof(DeviceGroup)) + with_spare(lists.ranges.size() * sizeof(RowRange)) +
           with_spare(lists.index_count * sizeof(std::uint32_t)) + with_spare(own_rows * kernel.row_bytes) +
           with_spare(lists.result_count * kernel.result_bytes);
}

// If any memory is too small, all is released before more is allocated: a batch never takes more than bytes() of the
// lists that it was sent.
void DeviceBatch::make_room_for(const DeviceLists& lists, std::size_t own_rows, const BatchKernel& kernel) {
    const std::pair<DeviceMemory*, std::size_t> wanted[] = {{&groups_, lists.groups.size() * sizeof(DeviceGroup)},
                                                            {&ranges_, lists.ranges.size() * sizeof(RowRange)},
                                                            {&indices_, lists.index_count * sizeof(std::uint32_t)},
                                                            {&rows_, own_rows * kernel.row_bytes},
                                                            {&results_, lists.result_count * kernel.result_bytes}};
    if (std::ranges::all_of(wanted, [](const auto& part) { return part.first->bytes() >= part.second; })) return;
    for (const auto& part : wanted) *part.first = {};
    for (const auto& part : wanted) make_room(*part.first, device_, part.second);
}

void DeviceBatch::upload(HostMemory& staging, const DeviceMemory& memory, std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    make_room(staging, device_, bytes.size());
    std::memcpy(staging.begin(), bytes.data(), bytes.size());
    queue_->upload(memory, 0, {staging.begin(), bytes.size()});
}

void DeviceBatch::send(const DeviceLists& lists, const RowSelection& own_rows, const std::byte* whole_table,
                       const BatchKernel& kernel) {
    wait();
    make_room_for(lists, own_rows.size(), kernel);
    upload(staged_groups_, groups_, std::as_bytes(std::span(lists.groups)));
    upload(staged_ranges_, ranges_, std::as_bytes(std::span(lists.ranges)));
    has_own_rows_ = !own_rows.empty();
    if (has_own_rows_) send_rows(own_rows, whole_table, kernel.row_bytes);
    result_count_ = lists.result_count;
    call_ = {static_cast<std::uint32_t>(lists.groups.size()), lists.largest_group};
    const ListsCall expand{call_.group_count};
    const DeviceMemory* const memory[] = {&groups_, &ranges_, &indices_};
    queue_->launch(expand_lists_kernel, std::as_bytes(std::span(&expand, 1)), memory);
}

void DeviceBatch::send_rows(const RowSelection& rows, const std::byte* whole_table, std::size_t row_bytes) {
    const std::size_t bytes = rows.size() * row_bytes;
    make_room(staged_rows_, device_, bytes);
    parallel_for(rows.size(), [&](std::size_t k) {
        std::memcpy(staged_rows_.begin() + k * row_bytes, whole_table + rows[k] * row_bytes, row_bytes);
    });
    queue_->upload(rows_, 0, {staged_rows_.begin(), bytes});
}

void DeviceBatch::launch(const BatchKernel& kernel, const DeviceMemory& shared_table, const Mark& shared_table_sent,
                         std::byte* results) {
    std::vector<std::byte> constants = kernel.constants;
    std::memcpy(constants.data(), &call_, sizeof call_);
    if (!has_own_rows_ && shared_table_sent.queue != queue_) queue_->after(shared_table_sent);
    const DeviceMemory* const memory[] = {has_own_rows_ ? &rows_ : &shared_table, &groups_, &indices_, &results_};
    queue_->launch(kernel.name, constants, memory);
    queue_->download(results_, 0, {results, result_count_ * kernel.result_bytes});
    queue_->flush();
    done_ = queue_->mark();
}

}  // namespace trellis
