#include "trellis/forces/short_range/device/device_neighbours.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"

namespace trellis {

DeviceNeighbours::DeviceNeighbours(const Devices& devices) {
    for (const auto& device : devices.all()) shares_.emplace_back(device);
    use_.batches = shares_.size();
    use_.lists_kept = true;
}

void DeviceNeighbours::send(const NeighbourLists& lists, std::size_t slots, Phases& phases) {
    if (number_ == lists.number()) return;
    const PhaseTimer timer(phases, Phase::copy_list);
    number_ = 0;
    wait();
    number_images(lists, slots);
    lay_out(lists);
    share_out(lists);
    for (NeighbourShare& share : shares_) send(share, lists);
    number_ = lists.number();
}

// Sends a device the lists of its groups, and sets where the lists of their blocks begin there.
void DeviceNeighbours::send(NeighbourShare& share, const NeighbourLists& lists) {
    std::uint64_t count = 0;
    for (std::size_t b = first_block_[share.first_group]; b < first_block_[share.end_group]; ++b) {
        blocks_[b].begin = count;
        count += blocks_[b].length;
    }
    make_room(share.staged, share.device, count * sizeof(std::uint32_t));
    make_room(share.entries, share.device, count * sizeof(std::uint32_t));
    auto* entries = reinterpret_cast<std::uint32_t*>(share.staged.begin());
    parallel_tasks(share.end_group - share.first_group, [&](std::size_t k, int) {
        const std::size_t g = share.first_group + k;
        const NeighbourGroup& group = lists.groups()[g];
        write_entries(group, std::span(range_rows_).subspan(first_range_[g], group.ranges.size()),
                      entries + blocks_[first_block_[g]].begin);
    });
    if (count > 0) share.queue->upload(share.entries, 0, {share.staged.begin(), count * sizeof(std::uint32_t)});
}

// Gives each device groups with about equal numbers of pairs.
void DeviceNeighbours::share_out(const NeighbourLists& lists) {
    std::vector<std::uint64_t> pairs;
    for (std::size_t g = 0; g < lists.groups().size(); ++g) {
        pairs.push_back(0);
        for (const ListedBlock& block : blocks(g)) pairs.back() += block.pairs();
    }
    const auto ends = equal_shares(pairs, std::vector<std::uint64_t>(shares_.size()));
    use_.pairs.clear();
    for (std::size_t k = 0; k < shares_.size(); ++k) {
        NeighbourShare& share = shares_[k];
        share.first_group = k == 0 ? 0 : ends[k - 1];
        share.end_group = ends[k];
        use_.pairs.push_back(std::accumulate(pairs.begin() + static_cast<std::ptrdiff_t>(share.first_group),
                                             pairs.begin() + static_cast<std::ptrdiff_t>(share.end_group),
                                             std::uint64_t{0}));
    }
}

// Ranges of one image, in the order of their slots, cover stretches of slots, which have consecutive rows.
void DeviceNeighbours::number_images(const NeighbourLists& lists, std::size_t slots) {
    const auto groups = lists.groups();
    first_range_.assign(1, 0);
    range_rows_.clear();
    std::vector<std::pair<SlotRange, std::size_t>> moved;  // a range and its number among all ranges
    for (const NeighbourGroup& group : groups) {
        for (const SlotRange& range : group.ranges) {
            if (range.image != 0) moved.emplace_back(range, range_rows_.size());
            range_rows_.push_back(range.first);
        }
        first_range_.push_back(range_rows_.size());
    }
    std::ranges::sort(moved, {}, [](const auto& one) { return std::tuple(one.first.image, one.first.first); });
    images_.clear();
    SlotRange stretch{0, 0, 0};
    std::size_t first_row = 0;
    for (const auto& [range, number] : moved) {
        if (range.image != stretch.image || range.first > stretch.end) {
            stretch = {range.first, range.first, range.image};
            first_row = slots + images_.size();
        }
        for (; stretch.end < range.end; ++stretch.end) images_.push_back({stretch.end, range.image});
        range_rows_[number] = static_cast<std::uint32_t>(first_row + (range.first - stretch.first));
    }
}

// Makes the blocks; the beginnings of their entries are set when devices have their shares.
void DeviceNeighbours::lay_out(const NeighbourLists& lists) {
    blocks_.clear();
    first_block_.assign(1, 0);
    for (const NeighbourGroup& group : lists.groups()) {
        for (std::uint32_t b = 0; b < group.blocks(); ++b) {
            const std::uint32_t first = b * SearchTree::block_size;
            blocks_.push_back({group.first + first, std::min(SearchTree::block_size, group.count - first),
                               static_cast<std::uint32_t>(group.list(b).size()), 0});
        }
        first_block_.push_back(blocks_.size());
    }
}

// Writes the lists of a group's blocks: numbers, which are ascending, become rows.
void DeviceNeighbours::write_entries(const NeighbourGroup& group, std::span<const std::uint32_t> range_rows,
                                     std::uint32_t* out) const {
    for (std::uint32_t b = 0; b < group.blocks(); ++b) {
        std::uint32_t behind = group.count, number = 0,
                      row = group.first;  // of the present stretch: its end, beginning and first row
        std::size_t next = 0;
        for (const std::uint32_t j : group.list(b)) {
            for (; j >= behind; ++next) {
                number = behind;
                row = range_rows[next];
                behind += group.ranges[next].end - group.ranges[next].first;
            }
            *out++ = row + (j - number);
        }
    }
}

void DeviceNeighbours::wait() {
    if (const std::exception_ptr failure = settle()) std::rethrow_exception(failure);
}

std::exception_ptr DeviceNeighbours::settle() {
    std::exception_ptr failure;
    for (NeighbourShare& share : shares_)
        if (const std::exception_ptr of_share = share.queue->settle(); failure == nullptr) failure = of_share;
    return failure;
}

void DeviceNeighbours::note_use() {
    use_.bytes = 0;
    for (NeighbourShare& share : shares_) {
        use_.times += share.queue->take_times();
        use_.bytes += share.device->memory_bytes() - share.device->memory_left();
    }
}

}  // namespace trellis
