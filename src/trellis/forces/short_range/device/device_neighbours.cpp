#include "trellis/forces/short_range/device/device_neighbours.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"

namespace trellis {

namespace {

// The fewest active rows that go to a device: over the neighbours of fewer, the host sums in about the time that the
// calls of a device take, a tenth of a millisecond each.
constexpr std::size_t fewest_on_device = 512;

}  // namespace

DeviceNeighbours::DeviceNeighbours(const Devices& devices) {
    for (const auto& device : devices.all()) shares_.emplace_back(device);
    use_.batches = shares_.size();
    use_.lists_kept = true;
}

void DeviceNeighbours::begin_step(const ActiveRows& active) {
    use_.times = {};
    left_to_host_ = !active.all() && active.count(0) < fewest_on_device;
}

void DeviceNeighbours::send(const Neighbourhood& neighbourhood, std::size_t slots, Phases& phases) {
    const NeighbourLists& lists = neighbourhood.lists();
    const bool others = number_ != lists.number();
    if (others) masked_ = neighbourhood.masked_blocks(phases);
    const PhaseTimer timer(phases, Phase::copy_list);
    if (others) begin(lists);
    std::vector<std::uint32_t> groups;
    for (std::uint32_t g = 0; g < sent_.size(); ++g)
        if (sent_[g] == 0 && lists.groups()[g].made()) groups.push_back(g);
    if (groups.empty()) return;
    number_ = 0;
    wait();
    number_images(lists, groups, slots);
    for (const std::uint32_t g : groups) lay_out(lists, g);
    if (others) share_out(lists);
    for (NeighbourShare& share : shares_) send(share, lists, groups);
    count_pairs();
    masked_ = {};
    number_ = lists.number();
}

// None of these lists have been sent.
void DeviceNeighbours::begin(const NeighbourLists& lists) {
    const auto groups = lists.groups();
    sent_.assign(groups.size(), 0);
    first_range_.assign(groups.size(), 0);
    range_rows_.clear();
    images_.clear();
    blocks_.clear();
    first_block_.assign(1, 0);
    for (const NeighbourGroup& group : groups) {
        for (std::uint32_t first = 0; first < group.count; first += SearchTree::block_size)
            blocks_.push_back({group.first + first, std::min(SearchTree::block_size, group.count - first), 0, 0, 0, 0});
        first_block_.push_back(blocks_.size());
    }
    for (NeighbourShare& share : shares_) share.first_group = share.end_group = share.entry_count = 0;
}

// Sends a device the lists of its groups among these, behind those that are there, and sets where the lists of their
// blocks begin. If they need more room, those that are there are sent again.
void DeviceNeighbours::send(NeighbourShare& share, const NeighbourLists& lists, std::span<const std::uint32_t> groups) {
    std::vector<std::uint32_t> of_share;
    for (const std::uint32_t g : groups)
        if (share.first_group <= g && g < share.end_group) of_share.push_back(g);
    const auto bytes_of = [](std::uint64_t entries) { return entries * sizeof(std::uint32_t); };
    const auto each_block = [&](auto&& of_block) {
        for (const std::uint32_t g : of_share)
            for (std::size_t b = first_block_[g]; b < first_block_[g + 1]; ++b) of_block(blocks_[b]);
    };
    std::uint64_t count = 0, masks = 0;
    each_block([&](const ListedBlock& block) { count += block.length + block.masked; });
    if (bytes_of(share.entry_count + count) > share.entries.bytes() && share.entry_count > 0) {
        make_room(share.entries, share.device, 2 * bytes_of(share.entry_count + count));
        of_share.clear();
        for (auto g = static_cast<std::uint32_t>(share.first_group); g < share.end_group; ++g)
            if (lists.groups()[g].made()) of_share.push_back(g);
        count += std::exchange(share.entry_count, 0);
    }
    const std::uint64_t first = share.entry_count;
    each_block([&](ListedBlock& block) {
        block.begin = share.entry_count;
        block.first_mask = masks;
        share.entry_count += block.length + block.masked;
        masks += block.masked;
    });
    const std::size_t factor_bytes = masks * SearchTree::block_size * sizeof(double);
    make_room(share.staged, share.device, bytes_of(count));
    make_room(share.entries, share.device, bytes_of(share.entry_count));
    make_room(share.staged_factors, share.device, factor_bytes);
    make_room(share.factors, share.device, factor_bytes);
    auto* entries = reinterpret_cast<std::uint32_t*>(share.staged.begin());
    auto* factors = reinterpret_cast<double*>(share.staged_factors.begin());
    parallel_tasks(of_share.size(),
                   [&](std::size_t k, int) { write_entries(of_share[k], lists, first, entries, factors); });
    if (count > 0) share.queue->upload(share.entries, bytes_of(first), {share.staged.begin(), bytes_of(count)});
    if (masks > 0) share.queue->upload(share.factors, 0, {share.staged_factors.begin(), factor_bytes});
    for (const std::uint32_t g : of_share) sent_[g] = 1;
}

// Gives each device groups with about equal numbers of pairs. Groups whose lists are not made count as the others do on
// average.
void DeviceNeighbours::share_out(const NeighbourLists& lists) {
    const auto groups = lists.groups();
    std::vector<std::uint64_t> pairs(groups.size());
    std::uint64_t all = 0, particles = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (!groups[g].made()) continue;
        for (const ListedBlock& block : blocks(g)) pairs[g] += block.pairs();
        all += pairs[g];
        particles += groups[g].count;
    }
    for (std::size_t g = 0; g < groups.size(); ++g)
        if (!groups[g].made()) pairs[g] = all / particles * groups[g].count;
    const auto ends = equal_shares(pairs, std::vector<std::uint64_t>(shares_.size()));
    for (std::size_t k = 0; k < shares_.size(); ++k) {
        shares_[k].first_group = k == 0 ? 0 : ends[k - 1];
        shares_[k].end_group = ends[k];
    }
}

void DeviceNeighbours::count_pairs() {
    use_.pairs.clear();
    for (const NeighbourShare& share : shares_) {
        std::uint64_t& pairs = use_.pairs.emplace_back(0);
        for (std::size_t g = share.first_group; g < share.end_group; ++g)
            for (const ListedBlock& block : blocks(g))
                if (sent_[g] != 0) pairs += block.pairs();
    }
}

// Ranges of one image, in the order of their slots, cover stretches of slots, which have consecutive rows.
// These come behind the images of groups that were sent before, which may be some of the same.
void DeviceNeighbours::number_images(const NeighbourLists& lists, std::span<const std::uint32_t> groups,
                                     std::size_t slots) {
    std::vector<std::pair<SlotRange, std::size_t>> moved;  // a range and its number among all ranges
    for (const std::uint32_t g : groups) {
        first_range_[g] = range_rows_.size();
        for (const SlotRange& range : lists.groups()[g].ranges) {
            if (range.image != 0) moved.emplace_back(range, range_rows_.size());
            range_rows_.push_back(range.first);
        }
    }
    std::ranges::sort(moved, {}, [](const auto& one) { return std::tuple(one.first.image, one.first.first); });
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

// Sets the lengths of a group's lists; where they begin is set when they are sent.
void DeviceNeighbours::lay_out(const NeighbourLists& lists, std::size_t g) {
    const NeighbourGroup& group = lists.groups()[g];
    for (std::uint32_t b = 0; b < group.blocks(); ++b) {
        ListedBlock& block = blocks_[first_block_[g] + b];
        block.length = static_cast<std::uint32_t>(list_of(group, g, b).size());
        block.masked = masked_.empty() ? 0 : static_cast<std::uint32_t>(masked_[g].masked_list(b).size());
    }
}

// Writes the lists of a group's blocks, and the factors of masked entries: numbers become rows. first: the number of
// entries before the first one that is written.
void DeviceNeighbours::write_entries(std::size_t g, const NeighbourLists& lists, std::uint64_t first,
                                     std::uint32_t* entries, double* factors) const {
    const NeighbourGroup& group = lists.groups()[g];
    const auto range_rows = rows_of_ranges(g, group);
    for (std::uint32_t b = 0; b < group.blocks(); ++b) {
        const ListedBlock& block = blocks(g)[b];
        std::uint32_t* entry = entries + (block.begin - first);
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
