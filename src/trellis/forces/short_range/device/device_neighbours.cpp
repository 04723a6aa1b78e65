#include "trellis/forces/short_range/device/device_neighbours.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"

namespace trellis {

DeviceNeighbours::DeviceNeighbours(std::shared_ptr<Device> device)
    : device_(std::move(device)), queue_(device_->make_queue()) {
    use_.batches = 1;
    use_.lists_kept = true;
}

void DeviceNeighbours::send(const NeighbourLists& lists, std::size_t slots, Phases& phases) {
    if (number_ == lists.number()) return;
    const PhaseTimer timer(phases, Phase::copy_list);
    number_ = 0;
    queue_->wait();
    number_images(lists, slots);
    lay_out(lists);
    const std::size_t count = blocks_.empty() ? 0 : blocks_.back().begin + blocks_.back().length;
    make_room(staged_, device_, count * sizeof(std::uint32_t));
    make_room(entries_, device_, count * sizeof(std::uint32_t));
    auto* entries = reinterpret_cast<std::uint32_t*>(staged_.begin());
    const auto groups = lists.groups();
    parallel_tasks(groups.size(), [&](std::size_t g, int) {
        write_entries(groups[g], std::span(range_rows_).subspan(first_range_[g], groups[g].ranges.size()),
                      entries + blocks_[first_block_[g]].begin);
    });
    if (count > 0) queue_->upload(entries_, 0, {staged_.begin(), count * sizeof(std::uint32_t)});
    number_ = lists.number();
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

// Makes the blocks, with the places of their entries.
void DeviceNeighbours::lay_out(const NeighbourLists& lists) {
    blocks_.clear();
    first_block_.assign(1, 0);
    std::uint64_t begin = 0;
    for (const NeighbourGroup& group : lists.groups()) {
        for (std::uint32_t b = 0; b < group.blocks(); ++b) {
            const std::uint32_t first = b * SearchTree::block_size;
            const auto length = static_cast<std::uint32_t>(group.list(b).size());
            blocks_.push_back(
                {group.first + first, std::min(SearchTree::block_size, group.count - first), length, begin});
            begin += length;
        }
        first_block_.push_back(blocks_.size());
    }
}

// Writes the lists of a group's blocks: numbers, which are ascending, become rows.
void DeviceNeighbours::write_entries(const NeighbourGroup& group, std::span<const std::uint32_t> range_rows,
                                     std::uint32_t* out) const {
    for (std::uint32_t b = 0; b < group.blocks(); ++b) {
        std::uint32_t behind = group.count, number = 0,
                      row = group.first;  // of the stretch at hand: end, begin, its row
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

void DeviceNeighbours::note_use() {
    use_.times += queue_->take_times();
    use_.bytes = device_->memory_bytes() - device_->memory_left();
}

}  // namespace trellis
