#include "trellis/forces/tree/device/batches/device_batch.hpp"

#include <algorithm>
#include <cstring>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"

namespace trellis {

std::array<DeviceMemory*, 9> DeviceBatch::memories() {
    const auto [targets, lists, locals] = far_.memories();
    return {&groups_.memory(),     &ranges_.memory(), &indices_, &rows_.memory(), &results_,
            &far_groups_.memory(), targets,           lists,     locals};
}

std::array<std::size_t, 9> DeviceBatch::sizes(const ListCounts& counts, std::size_t own_rows,
                                              const BatchKernel& kernel) {
    const auto [targets, cells, locals] = FarTargets::sizes(counts.far, kernel);
    return {counts.groups * sizeof(DeviceGroup),
            counts.ranges * sizeof(RowRange),
            counts.indices * sizeof(std::uint32_t),
            own_rows * kernel.row_bytes,
            counts.results * kernel.result_bytes,
            counts.far.groups * sizeof(FarGroup),
            targets,
            cells,
            locals};
}

std::size_t DeviceBatch::bytes(const ListCounts& counts, std::size_t own_rows, const BatchKernel& kernel) {
    std::size_t bytes = 0;
    for (const std::size_t size : sizes(counts, own_rows, kernel)) bytes += with_spare(size);
    return bytes;
}

std::size_t DeviceBatch::bytes_held() {
    std::size_t bytes = 0;
    for (const DeviceMemory* memory : memories()) bytes += memory->bytes();
    return bytes;
}

// If any memory is too small, all is released before more is allocated: a batch never takes more than bytes() of the
// lists that it was sent.
void DeviceBatch::make_room_for(const ListCounts& counts, std::size_t own_rows, const BatchKernel& kernel) {
    const auto all = memories();
    const auto wanted = sizes(counts, own_rows, kernel);
    if (std::ranges::equal(all, wanted,
                           [](const DeviceMemory* memory, std::size_t size) { return memory->bytes() >= size; }))
        return;
    for (DeviceMemory* memory : all) *memory = {};
    for (std::size_t k = 0; k < all.size(); ++k) make_room(*all[k], device_, wanted[k]);
}

void DeviceBatch::send(std::span<const DeviceLists> parts, const RowSelection& own_rows, const std::byte* whole_table,
                       const BatchKernel& kernel, ResultOrder order) {
    wait();
    const ListCounts counts = counts_of(parts);
    make_room_for(counts, own_rows.size(), kernel);
    send_lists(parts, counts, order);
    has_own_rows_ = !own_rows.empty();
    if (has_own_rows_) send_rows(own_rows, whole_table, kernel.row_bytes);
    result_count_ = counts.results;
    call_ = {static_cast<std::uint32_t>(counts.groups), counts.largest_group};
    const ListsCall expand{call_.group_count};
    const DeviceMemory* const memory[] = {&groups_.memory(), &ranges_.memory(), &indices_};
    queue_->launch(expand_lists_kernel, std::as_bytes(std::span(&expand, 1)), memory);
}

void DeviceBatch::send_lists(std::span<const DeviceLists> parts, const ListCounts& counts, ResultOrder order) {
    ListPlaces lists{groups_.stage<DeviceGroup>(device_, counts.groups),
                     ranges_.stage<RowRange>(device_, counts.ranges), far_.stage(device_, counts.far)};
    lists.far.groups = far_groups_.stage<FarGroup>(device_, counts.far.groups);
    write_joined(parts, lists, order);
    for (const StagedMemory* staged : {&groups_, &ranges_, &far_groups_}) staged->send(*queue_);
    far_.send(*queue_);
}

void DeviceBatch::send_rows(const RowSelection& rows, const std::byte* whole_table, std::size_t row_bytes) {
    std::byte* staged = rows_.stage<std::byte>(device_, rows.size() * row_bytes);
    parallel_for(rows.size(), [&](std::size_t k) {
        std::memcpy(staged + k * row_bytes, whole_table + rows[k] * row_bytes, row_bytes);
    });
    rows_.send(*queue_);
}

void DeviceBatch::compute(const BatchKernel& kernel, const SharedTables& shared) {
    std::vector<std::byte> constants = kernel.constants;
    std::memcpy(constants.data(), &call_, sizeof call_);
    if ((!has_own_rows_ || kernel.has_far_field()) && shared.sent.queue != queue_) queue_->after(shared.sent);
    const DeviceMemory& rows = has_own_rows_ ? rows_.memory() : shared.rows;
    const DeviceMemory* const memory[] = {&rows, &groups_.memory(), &indices_, &results_};
    queue_->launch(kernel.name, constants, memory);
    if (kernel.has_far_field()) add_far_field(kernel, shared, rows);
}

void DeviceBatch::launch(const BatchKernel& kernel, const SharedTables& shared, std::byte* results) {
    compute(kernel, shared);
    queue_->download(results_, 0, {results, result_count_ * kernel.result_bytes});
    queue_->flush();
    done_ = queue_->mark();
}

void DeviceBatch::add_far_field(const BatchKernel& kernel, const SharedTables& shared, const DeviceMemory& rows) {
    far_.make_locals(*queue_, kernel, shared.cells);
    std::vector<std::byte> constants = kernel.constants;
    const FarFieldCall call{call_.group_count, call_.largest_group, far_.count(), shared.trunk.count()};
    std::memcpy(constants.data(), &call, sizeof call);
    const DeviceMemory* const memory[] = {
        &rows,           &groups_.memory(), &shared.cells,           &far_groups_.memory(),  &far_.lists(),
        &far_.targets(), &far_.locals(),    &shared.trunk.targets(), &shared.trunk.locals(), &results_};
    queue_->launch(kernel.far_field, constants, memory);
}

}  // namespace trellis
