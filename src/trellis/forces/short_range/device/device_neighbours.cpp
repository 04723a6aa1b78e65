#include "trellis/forces/short_range/device/device_neighbours.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"

namespace trellis {

namespace {

// Finds the rows of a group's j-particles by their numbers: those behind the group's own are rising.
class GroupRows {
  public:
    // range_rows: the first row of each range.
    GroupRows(const NeighbourGroup& group, std::span<const std::uint32_t> range_rows)
        : group_(group), range_rows_(range_rows), end_(group.count) {}

    std::uint32_t operator()(std::uint32_t number) {
        if (number < group_.count) return group_.first + number;
        for (; number >= end_; ++next_) {
            begin_ = end_;
            end_ += group_.ranges[next_].end - group_.ranges[next_].first;
        }
        return range_rows_[next_ - 1] + (number - begin_);
    }

  private:
    const NeighbourGroup& group_;
    std::span<const std::uint32_t> range_rows_;
    std::size_t next_ = 0;           // the next range
    std::uint32_t begin_ = 0, end_;  // the numbers of the present one
};

}  // namespace

DeviceNeighbours::DeviceNeighbours(const Devices& devices) {
    for (const auto& device : devices.all()) shares_.emplace_back(device);
    use_.batches = shares_.size();
    use_.lists_kept = true;
}

void DeviceNeighbours::send(const Neighbourhood& neighbourhood, std::size_t slots, Phases& phases) {
    const NeighbourLists& lists = neighbourhood.lists();
    if (number_ == lists.number()) return;
    masked_ = neighbourhood.masked_blocks(phases);
    const PhaseTimer timer(phases, Phase::copy_list);
    number_ = 0;
    wait();
    number_images(lists, slots);
    lay_out(lists);
    share_out(lists);
    for (NeighbourShare& share : shares_) send(share, lists);
    masked_ = {};
    number_ = lists.number();
}

// Sends a device the lists of its groups, and sets where the lists of their blocks begin there.
void DeviceNeighbours::send(NeighbourShare& share, const NeighbourLists& lists) {
    std::uint64_t count = 0, masks = 0;
    for (std::size_t b = first_block_[share.first_group]; b < first_block_[share.end_group]; ++b) {
        blocks_[b].begin = count;
        blocks_[b].first_mask = masks;
        count += blocks_[b].length + blocks_[b].masked;
        masks += blocks_[b].masked;
    }
    const std::size_t entry_bytes = count * sizeof(std::uint32_t),
                      factor_bytes = masks * SearchTree::block_size * sizeof(double);
    make_room(share.staged, share.device, entry_bytes);
    make_room(share.entries, share.device, entry_bytes);
    make_room(share.staged_factors, share.device, factor_bytes);
    make_room(share.factors, share.device, factor_bytes);
    auto* entries = reinterpret_cast<std::uint32_t*>(share.staged.begin());
    auto* factors = reinterpret_cast<double*>(share.staged_factors.begin());
    parallel_tasks(share.end_group - share.first_group,
                   [&](std::size_t k, int) { write_entries(share.first_group + k, lists, entries, factors); });
    if (count > 0) share.queue->upload(share.entries, 0, {share.staged.begin(), entry_bytes});
    if (masks > 0) share.queue->upload(share.factors, 0, {share.staged_factors.begin(), factor_bytes});
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

// The list of block b of group g, without masked entries.
std::span<const std::uint32_t> DeviceNeighbours::list_of(const NeighbourGroup& group, std::size_t g,
                                                         std::uint32_t b) const {
    return masked_.empty() ? group.list(b) : masked_[g].list(b);
}

// Makes the blocks; the beginnings of their entries are set when devices have their shares.
void DeviceNeighbours::lay_out(const NeighbourLists& lists) {
    blocks_.clear();
    first_block_.assign(1, 0);
    for (std::size_t g = 0; g < lists.groups().size(); ++g) {
        const NeighbourGroup& group = lists.groups()[g];
        for (std::uint32_t b = 0; b < group.blocks(); ++b) {
            const std::uint32_t first = b * SearchTree::block_size;
            const std::size_t masked = masked_.empty() ? 0 : masked_[g].masked_list(b).size();
            blocks_.push_back({group.first + first, std::min(SearchTree::block_size, group.count - first),
                               static_cast<std::uint32_t>(list_of(group, g, b).size()),
                               static_cast<std::uint32_t>(masked), 0, 0});
        }
        first_block_.push_back(blocks_.size());
    }
}

// Writes the lists of a group's blocks, and the factors of masked entries: numbers become rows.
void DeviceNeighbours::write_entries(std::size_t g, const NeighbourLists& lists, std::uint32_t* entries,
                                     double* factors) const {
    const NeighbourGroup& group = lists.groups()[g];
    const auto range_rows = std::span(range_rows_).subspan(first_range_[g], group.ranges.size());
    for (std::uint32_t b = 0; b < group.blocks(); ++b) {
        const ListedBlock& block = blocks(g)[b];
        std::uint32_t* entry = entries + block.begin;
        for (GroupRows row(group, range_rows); const std::uint32_t j : list_of(group, g, b)) *entry++ = row(j);
        if (block.masked == 0) continue;
        double* factor = factors + block.first_mask * SearchTree::block_size;
        for (GroupRows row(group, range_rows); const auto& masked : masked_[g].masked_list(b)) {
            *entry++ = row(masked.number);
            factor = std::ranges::copy(masked.factors, factor).out;
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
