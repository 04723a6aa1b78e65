#include "trellis/lists/neighbours/device/list_request.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"

namespace trellis {

namespace {

bool lies_in(const Stretch& stretch, std::uint64_t total) {
    return stretch.begin <= total && stretch.count <= total - stretch.begin;
}

}  // namespace

ListRequest::ListRequest(std::shared_ptr<Device> device) : device_(std::move(device)), queue_(device_->make_queue()) {
    register_list_kernels();
}

template <class T>
std::span<T> ListRequest::host(Array array, std::size_t count) {
    make_room(local_[array], device_, count * sizeof(T));
    return {reinterpret_cast<T*>(local_[array].begin()), count};
}

template <class T>
void ListRequest::make_remote_room(Array array, std::size_t count) {
    make_room(tlocal_[array], device_, std::max<std::size_t>(count, 1) * sizeof(T));
}

template <class T>
void ListRequest::upload(Array array, std::size_t count) {
    make_remote_room<T>(array, count);
    if (count > 0) queue_->upload(tlocal_[array], 0, {local_[array].begin(), count * sizeof(T)});
}

template <class T>
void ListRequest::download(Array array, std::size_t count) {
    const auto to = host<T>(array, count);
    if (count > 0) queue_->download(tlocal_[array], 0, std::as_writable_bytes(to));
}

void ListRequest::send(const SearchTree& own, const SearchTree& ghosts, Search search, double skin,
                       const Region& region, Phases& phases) {
    const PhaseTimer timer(phases, Phase::copy_list);
    if (under_way_) queue_->wait();  // the lists requested before were not received
    under_way_ = false;
    groups_ = own.leaves().size();
    block_count_ = own.block_count();
    if (groups_ == 0) return;
    const GroupFrame frame = frame_of(own, ghosts, search, skin);
    const auto images = image_shifts(own, frame, region);
    std::ranges::copy(images, host<Vec3<double>>(shifts, images.size()).begin());
    copy_tree(own, ghosts);
    const bool any_ghosts = ghosts.size() > 0;
    search_.frame = frame;
    search_.ghost_root = any_ghosts ? static_cast<std::uint32_t>(own.cells().size()) : 0;
    search_.images = static_cast<std::uint32_t>(images.size());
    search_.slots = static_cast<std::uint32_t>(own.size() + ghosts.size());
    const std::uint64_t blocks_tested = images.size() * own.block_count() + ghosts.block_count();
    most_ = {groups_ * blocks_tested, block_count_ * blocks_tested * SearchTree::block_size};
    const std::size_t all_cells = own.cells().size() + ghosts.cells().size();
    upload<Cell>(cells, all_cells);
    upload<Zone>(zones, all_cells);
    upload<std::uint32_t>(first_blocks, all_cells);
    upload<Zone>(blocks, own.block_count() + ghosts.block_count());
    upload<std::uint32_t>(leaves, groups_);
    upload<Vec3<double>>(shifts, images.size());
    upload<Vec3<double>>(positions, search_.slots);
    upload<double>(radii, search_.slots);
    make_remote_room<Stretch>(ranges_of_groups, groups_);
    make_remote_room<Stretch>(entries_of_blocks, block_count_);
    make_remote_room<std::uint32_t>(group_of_block, block_count_);
    make_remote_room<SlotRange>(ranges, std::max<std::size_t>(expected_.ranges, 32 * groups_));
    make_remote_room<std::uint32_t>(entries, std::max<std::size_t>(expected_.entries, 512 * block_count_));
    under_way_ = true;
    start();
    queue_->flush();
}

// Appends the tree of ghosts to that of local particles, with all of its numbers shifted.
void ListRequest::copy_tree(const SearchTree& own, const SearchTree& ghosts) {
    const auto cells_before = static_cast<std::uint32_t>(own.cells().size());
    const auto blocks_before = static_cast<std::uint32_t>(own.block_count());
    const auto slots_before = static_cast<std::uint32_t>(own.size());
    const std::size_t all_cells = cells_before + ghosts.cells().size();
    const auto cell = host<Cell>(cells, all_cells);
    const auto zone = host<Zone>(zones, all_cells);
    const auto first_block = host<std::uint32_t>(first_blocks, all_cells);
    const auto block = host<Zone>(blocks, blocks_before + ghosts.block_count());
    const auto position = host<Vec3<double>>(positions, own.size() + ghosts.size());
    const auto radius = host<double>(radii, own.size() + ghosts.size());
    std::ranges::copy(own.leaves(), host<std::uint32_t>(leaves, groups_).begin());
    for (const SearchTree* tree : {&own, &ghosts}) {
        const bool behind = tree == &ghosts;
        const std::uint32_t first_cell = behind ? cells_before : 0, first = behind ? blocks_before : 0;
        const std::uint32_t first_slot = behind ? slots_before : 0;
        parallel_for(tree->cells().size(), [&](std::size_t k) {
            Cell moved = tree->cells()[k];
            moved.first += first_slot;
            if (!moved.is_leaf()) moved.child += first_cell;
            cell[first_cell + k] = moved;
            zone[first_cell + k] = tree->view().zones[k];
            first_block[first_cell + k] = first + tree->view().first_block[k];
        });
        std::copy_n(tree->view().blocks, tree->block_count(), block.begin() + first);
        std::ranges::copy(tree->positions(), position.begin() + first_slot);
        std::ranges::copy(tree->radii(), radius.begin() + first_slot);
    }
}

// Queues the search, and the download of the expected results.
void ListRequest::start() {
    search_.room = {tlocal_[ranges].bytes() / sizeof(SlotRange), tlocal_[entries].bytes() / sizeof(std::uint32_t)};
    static constexpr ListTotals none{};
    make_remote_room<ListTotals>(totals, 1);
    queue_->upload(tlocal_[totals], 0, std::as_bytes(std::span(&none, 1)));
    launch_grid(*queue_, FindRanges{search_}, groups_, tlocal_[cells], tlocal_[zones], tlocal_[first_blocks],
                tlocal_[blocks], tlocal_[leaves], tlocal_[shifts], tlocal_[totals], tlocal_[ranges_of_groups],
                tlocal_[ranges], tlocal_[group_of_block]);
    launch_grid(*queue_, FindEntries{search_}, block_count_, tlocal_[cells], tlocal_[zones], tlocal_[first_blocks],
                tlocal_[blocks], tlocal_[leaves], tlocal_[shifts], tlocal_[positions], tlocal_[radii],
                tlocal_[ranges_of_groups], tlocal_[ranges], tlocal_[group_of_block], tlocal_[totals],
                tlocal_[entries_of_blocks], tlocal_[entries]);
    download<ListTotals>(totals, 1);
    download<Stretch>(ranges_of_groups, groups_);
    download<Stretch>(entries_of_blocks, block_count_);
    downloaded_ = {std::min(expected_.ranges, search_.room.ranges), std::min(expected_.entries, search_.room.entries)};
    download<SlotRange>(ranges, downloaded_.ranges);
    download<std::uint32_t>(entries, downloaded_.entries);
}

// Waits for the search, and repeats it until there is room for all results.
ListTotals ListRequest::found() {
    while (true) {
        queue_->wait();
        const ListTotals found = local<ListTotals>(totals)[0];
        if (found.ranges > most_.ranges || found.entries > most_.entries) throw invalid_lists();
        expected_ = {found.ranges + found.ranges / 8, found.entries + found.entries / 8};
        if (found.ranges <= search_.room.ranges && found.entries <= search_.room.entries) return found;
        make_remote_room<SlotRange>(ranges, expected_.ranges);
        make_remote_room<std::uint32_t>(entries, std::max(expected_.entries, search_.room.entries));
        start();
    }
}

NeighbourLists ListRequest::receive(Phases& phases) {
    ListTotals found{};
    if (groups_ > 0) {
        const PhaseTimer timer(phases, Phase::wait_for_device);
        found = this->found();
        if (found.ranges > downloaded_.ranges || found.entries > downloaded_.entries) {
            download<SlotRange>(ranges, found.ranges);
            download<std::uint32_t>(entries, found.entries);
            queue_->wait();
        }
        under_way_ = false;
    }
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    std::vector<NeighbourGroup> groups(groups_);
    std::atomic<bool> valid = true;
    parallel_tasks(groups_, [&](std::size_t g, int) {
        if (!read(g, found, groups[g])) valid = false;
    });
    if (!valid) throw invalid_lists();
    std::vector<Vec3<double>> moved(1, {0, 0, 0});
    if (groups_ > 0) {
        const auto* images = local<Vec3<double>>(shifts);
        moved.assign(images, images + search_.images);
    }
    NeighbourLists lists;
    lists.take(std::move(groups), std::move(moved));
    return lists;
}

DeviceError ListRequest::invalid_lists() const { return {device_->name(), "returned invalid neighbour lists"}; }

// Reads the lists of a group; false if they contain invalid numbers.
bool ListRequest::read(std::size_t g, const ListTotals& found, NeighbourGroup& group) const {
    const std::uint32_t leaf = local<std::uint32_t>(leaves)[g];
    const Cell& cell = local<Cell>(cells)[leaf];
    group.first = cell.first;
    group.count = cell.count;
    group.centre = centre_of(local<Zone>(zones)[leaf]);
    const Stretch& listed = local<Stretch>(ranges_of_groups)[g];
    if (!lies_in(listed, found.ranges)) return false;
    const SlotRange* first = local<SlotRange>(ranges) + listed.begin;
    group.ranges.assign(first, first + listed.count);
    group.j_count = group.count;
    for (const SlotRange& range : group.ranges) {
        if (range.first >= range.end || range.end > search_.slots || range.image >= search_.images) return false;
        group.j_count += range.end - range.first;
    }
    group.begins.assign(1, 0);
    for (std::uint32_t b = 0; b < group.blocks(); ++b) {
        const Stretch& of_block = local<Stretch>(entries_of_blocks)[local<std::uint32_t>(first_blocks)[leaf] + b];
        if (!lies_in(of_block, found.entries)) return false;
        const std::span numbers(local<std::uint32_t>(entries) + of_block.begin, of_block.count);
        if (std::ranges::adjacent_find(numbers, std::greater_equal()) != numbers.end()) return false;
        if (!numbers.empty() && numbers.back() >= group.j_count) return false;
        group.entries.insert(group.entries.end(), numbers.begin(), numbers.end());
        group.begins.push_back(static_cast<std::uint32_t>(group.entries.size()));
    }
    return true;
}

}  // namespace trellis
