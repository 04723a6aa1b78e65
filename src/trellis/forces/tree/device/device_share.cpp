#include "trellis/forces/tree/device/device_share.hpp"

#include <algorithm>
#include <utility>

#include "trellis/devices/room.hpp"

namespace trellis {

namespace {

std::vector<SentGroup> groups_of(std::span<const DeviceLists> parts) {
    std::vector<SentGroup> groups;
    std::uint32_t before = 0;
    for (const DeviceLists& part : parts) {
        for (std::size_t g = 0; g < part.groups.size(); ++g)
            groups.push_back({before + part.groups[g].first_result, part.slots[g], part.groups[g].count});
        before += part.counts.results;
    }
    return groups;
}

}  // namespace

DeviceShare::DeviceShare(std::shared_ptr<Device> device, Send send, const BatchKernel& kernel)
    : device_(std::move(device)), send_(send), kernel_(kernel) {
    for (std::size_t k = 0; k < device_->queues_wanted(); ++k) queues_.push_back(device_->make_queue());
    queues_in_use_ = queues_.size();
}

// The whole table of rows is sent if all batches share it, or moments are made of it, and the tables leave room for
// batches.
void DeviceShare::make_room(std::size_t bytes, const FarTables& far) {
    std::size_t wanted_bytes = with_spare(bytes);
    for (const std::size_t size : DeviceCells::sizes(far.cells, kernel_)) wanted_bytes += with_spare(size);
    const bool fits = wanted_bytes <= device_->memory_bytes() / 2;
    in_blocks_ = send_ == Send::indices && !fits;
    const bool wanted = fits && (send_ == Send::indices || far.cells.made_there);
    if (!wanted) table_ = {};
    const auto make_each = [&](const auto& memories, const auto& sizes) {
        for (std::size_t k = 0; k < sizes.size(); ++k) trellis::make_room(*memories[k], device_, sizes[k]);
    };
    make_each(cells_.memories(), DeviceCells::sizes(far.cells, kernel_));
    make_each(trunk_.memories(), FarTargets::sizes(far.trunk.counts(), kernel_));
    if (wanted) trellis::make_room(table_, device_, bytes);
}

void DeviceShare::take_table(std::span<const std::byte> rows, const FarTables& far, bool new_lists, bool stays) {
    rows_ = rows;
    Queue& queue = *queues_[0];
    if (has_table() && stays)
        queue.upload_delta(table_, rows_, kernel_.row, new_lists);
    else if (has_table())
        queue.upload(table_, 0, rows_);
    if (far.cells.count > 0) {
        cells_.send(device_, queue, far.cells, table_, kernel_);
        if (new_lists) {
            write_moved(far.trunk, {}, trunk_.stage(device_, far.trunk.counts()));
            trunk_.send(queue);
        }
        trunk_.make_locals(queue, kernel_, cells_.rows());
    }
    queue.flush();
    tables_sent_ = queue.mark();
}

void DeviceShare::forget() {
    sent_.clear();
    pairs_ = 0;
    lists_stay_ = room_for_all_ && !batches_have_rows();
}

// A table of the lists' own rows, which they name from then on.
RowSelection DeviceShare::rows_of(DeviceLists& lists) {
    if (send_ == Send::particles) return copy_rows(lists);
    numbers_.resize(rows_.size() / kernel_.row_bytes);
    return select_rows(lists, numbers_);
}

std::byte* DeviceShare::send(std::span<const DeviceLists> parts, std::byte* results) {
    SentLists sent{groups_of(parts), counts_of(parts), results};
    if (sent.groups.empty()) return results;
    DeviceLists own;
    RowSelection own_rows;
    std::span<const DeviceLists> lists = parts;
    if (batches_have_rows()) {
        own = joined(parts);
        own_rows = rows_of(own);
        lists = {&own, 1};
    }
    const bool fit = fits(counts_of(lists), own_rows.size());
    if (!fit && parts.size() > 1) {
        const std::size_t middle = parts.size() / 2;
        return send(parts.subspan(middle), send(parts.first(middle), results));
    }
    if (!fit) use_queues(1);  // then one batch may take all memory
    pairs_ += sent.counts.pairs;
    sent_.push_back(std::move(sent));
    DeviceBatch& batch = next_batch();
    batch.send(lists, own_rows, rows_.data(), kernel_);
    launch(batch, sent_.back());
    return results + sent_.back().counts.results * kernel_.result_bytes;
}

void DeviceShare::launch_again() {
    for (std::size_t k = 0; k < sent_.size(); ++k) launch(batches_[k], sent_[k]);
}

// True if every queue has room for a batch of this size. If lists were to stay and there is no room for more, they no
// longer stay: from now on batches follow each other in the same memory.
bool DeviceShare::fits(const ListCounts& counts, std::size_t own_rows) {
    const std::size_t bytes = DeviceBatch::bytes(counts, own_rows, kernel_);
    if (lists_stay_) {
        const std::size_t held = sent_.size() < batches_.size() ? batches_[sent_.size()].bytes_held() : 0;
        if (bytes <= device_->memory_left() + held) return true;
        lists_stay_ = room_for_all_ = false;
    }
    use_queues(queues_in_use_);
    return bytes <= (device_->memory_bytes() - std::min(device_->memory_bytes(), bytes_of_tables())) / queues_in_use_;
}

// Lets batches follow each other on this many queues, in the same memory, from now on.
void DeviceShare::use_queues(std::size_t count) {
    queues_in_use_ = count;
    if (batches_.size() <= count) return;
    if (const std::exception_ptr failure = settle()) std::rethrow_exception(failure);
    while (batches_.size() > count) batches_.pop_back();
}

// The next batch to be filled: a new one if lists stay, else the one whose forces were begun first.
DeviceBatch& DeviceShare::next_batch() {
    const std::size_t number = sent_.size() - 1;
    const std::size_t place = lists_stay_ ? number : number % queues_in_use_;
    while (batches_.size() <= place) batches_.emplace_back(device_, *queues_[batches_.size() % queues_.size()]);
    return batches_[place];
}

void DeviceShare::launch(DeviceBatch& batch, const SentLists& sent) {
    batch.launch(kernel_, {table_, cells_.rows(), trunk_, tables_sent_}, sent.results);
}

Work DeviceShare::work() const {
    Work work;
    for (const SentLists& sent : sent_) work += sent.counts.work();
    return work;
}

std::exception_ptr DeviceShare::settle() {
    std::exception_ptr failure;
    for (const auto& queue : queues_)
        if (const std::exception_ptr of_queue = queue->settle()) failure = of_queue;
    return failure;
}

QueueTimes DeviceShare::take_times() {
    QueueTimes times;
    for (const auto& queue : queues_) times += queue->take_times();
    return times;
}

}  // namespace trellis
