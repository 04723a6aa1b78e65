#include "trellis/resident/resident_tree.hpp"

#include <algorithm>
#include <utility>

#include "trellis/devices/room.hpp"
#include "trellis/resident/kernels/particle_kernels.hpp"
#include "trellis/resident/kernels/sort_and_scan.hpp"
#include "trellis/resident/kernels/tree_kernels.hpp"

namespace trellis {

namespace {

// Extents are joined first into at most most_extents, then joined_at_once at a time.
constexpr std::size_t joined_at_once = 32, most_extents = 32768;

// The number of levels queued at first, and of those added if the tree is deeper: an empty level costs less than a
// check.
constexpr std::uint32_t first_levels = 24, more_levels = 8;

std::size_t widest_level(std::size_t particles, std::uint32_t leaf_size) {
    return std::max<std::size_t>(1, 2 * (particles / (std::size_t{leaf_size} + 1)));
}

std::size_t most_cells(std::size_t particles, std::size_t widest) {
    return std::min(2 * particles, 1 + (most_levels - 1) * widest);
}

}  // namespace

ResidentTree::ResidentTree(std::shared_ptr<Device> device, Queue& queue, ResidentState& state, std::size_t particles,
                           std::uint32_t leaf_size)
    : device_(std::move(device)),
      queue_(queue),
      state_(state),
      particles_(particles),
      leaf_size_(leaf_size),
      widest_level_(widest_level(particles, leaf_size)),
      extents_(device_, std::min(particles, most_extents) * sizeof(Extent)),
      keys_(device_, particles * sizeof(std::uint64_t)),
      order_(device_, particles * sizeof(std::uint32_t)),
      other_keys_(device_, particles * sizeof(std::uint64_t)),
      other_order_(device_, particles * sizeof(std::uint32_t)),
      space_(device_, std::max(sort_space(particles), scan_space(widest_level_ + 1))),
      splits_(device_, (widest_level_ + 1) * sizeof(std::uint32_t)),
      cells_(device_, most_cells(particles, widest_level_) * sizeof(Cell)),
      levels_queued_(first_levels),
      levels_(1, 0) {}

void ResidentTree::sort(const DeviceMemory& positions) {
    std::size_t extents = std::min(particles_, most_extents);
    launch_grid(queue_, ExtentOfParticles{particles_, extents}, extents, positions, extents_);
    while (extents > 1) {
        const std::size_t fewer = (extents + joined_at_once - 1) / joined_at_once;
        launch_grid(queue_, ExtentOfExtents{extents, fewer}, fewer, extents_);
        extents = fewer;
    }
    launch_grid(queue_, RootBox{}, 1, extents_, state_.memory());
    launch_grid(queue_, MakeKeys{}, particles_, positions, state_.memory(), keys_, order_);
    sort_by_key(queue_, particles_, keys_, order_, other_keys_, other_order_, space_);
}

void ResidentTree::link() {
    levels_.clear();
    launch_grid(queue_, RootCell{static_cast<std::uint32_t>(particles_)}, 1, keys_, cells_, state_.memory());
    for (std::uint32_t level = 0; level < levels_queued_; ++level) make_level(level);
    launch_grid(queue_, CountCells{levels_queued_, cell_room()}, 1, state_.memory());
}

void ResidentTree::learn(const ResidentValues& made) {
    const std::uint32_t* const end = made.levels + levels_queued_ + 2;
    const std::uint32_t* const last = std::adjacent_find(made.levels, end);  // repeated behind the last level
    if (last == end) {
        levels_queued_ = std::min<std::uint32_t>(levels_queued_ + more_levels, most_levels);
        return;
    }
    levels_.assign(made.levels, last + 1);
    make_room(contents_, device_, cell_count() * sizeof(CellContents));
}

std::size_t ResidentTree::most_cells_of(std::size_t level) const {
    return level < 32 ? std::min(std::size_t{1} << level, widest_level_) : widest_level_;
}

// The number of cells of a level, or its upper limit while unknown.
std::size_t ResidentTree::cells_of(std::size_t level) const {
    return levels_.empty() ? most_cells_of(level) : levels_[level + 1] - levels_[level];
}

// Queues the cells of the level below this one.
void ResidentTree::make_level(std::uint32_t level) {
    const std::size_t elements = most_cells_of(level) + 1;
    launch_grid(queue_, MarkSplits{level, leaf_size_}, elements, cells_, state_.memory(), splits_);
    sum_before_32(queue_, elements, splits_, space_);
    launch_grid(queue_, SplitCells{level, leaf_size_}, elements, keys_, splits_, cells_, state_.memory());
}

void ResidentTree::find_contents(const DeviceMemory& positions, const DeviceMemory& weights,
                                 const DeviceMemory& softenings) {
    launch_grid(queue_, LeafContents{}, cell_count(), cells_, positions, weights, state_.memory(), contents_);
    for (auto level = static_cast<std::uint32_t>(level_count()); level-- > 0;)
        launch_grid(queue_, JoinContents{level}, cells_of(level), cells_, state_.memory(), contents_);
    if (softenings.bytes() == 0) return;
    make_room(softenings_, device_, cell_room() * sizeof(CellSoftening));
    launch_grid(queue_, LeafSoftenings{}, cell_count(), cells_, softenings, weights, state_.memory(), softenings_);
    for (auto level = static_cast<std::uint32_t>(level_count()); level-- > 0;)
        launch_grid(queue_, JoinSoftenings{level}, cells_of(level), cells_, contents_, state_.memory(), softenings_);
}

}  // namespace trellis
