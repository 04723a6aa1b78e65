#include "trellis/resident/resident_tree.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "trellis/devices/room.hpp"
#include "trellis/resident/kernels/particle_kernels.hpp"
#include "trellis/resident/kernels/sort_and_scan.hpp"
#include "trellis/resident/kernels/tree_kernels.hpp"

namespace trellis {

namespace {

// Extents are joined first into at most most_extents, then joined_at_once to one at a time.
constexpr std::size_t joined_at_once = 32, most_extents = 32768;

// The number of levels queued before the host looks whether there are more: empty ones cost less than looking.
constexpr std::uint32_t levels_at_once = 8;

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
    launch_grid(queue_, RootCell{static_cast<std::uint32_t>(particles_)}, 1, keys_, cells_, state_.memory());
    std::size_t cells_of_level = 1;
    for (std::uint32_t level = 0; cells_of_level > 0;) {
        for (std::uint32_t k = 0; k < levels_at_once; ++k, ++level) {
            make_level(level, cells_of_level);
            cells_of_level = std::min(2 * cells_of_level, widest_level_);
        }
        const ResidentValues& made = state_.read();
        cells_of_level = made.levels[level + 1] - made.levels[level];
        levels_.assign(made.levels, made.levels + level + 2);
    }
    // The end of the last level is repeated behind it.
    levels_.erase(std::ranges::adjacent_find(levels_), std::prev(levels_.end()));
    make_room(contents_, device_, cell_count() * sizeof(CellContents));
}

// Queues the cells of the level after this one, which has at most most_cells.
void ResidentTree::make_level(std::uint32_t level, std::size_t most_cells) {
    const std::size_t elements = most_cells + 1;
    launch_grid(queue_, MarkSplits{level, leaf_size_}, elements, cells_, state_.memory(), splits_);
    sum_before_32(queue_, elements, splits_, space_);
    launch_grid(queue_, SplitCells{level, leaf_size_}, elements, keys_, splits_, cells_, state_.memory());
}

void ResidentTree::find_contents(const DeviceMemory& positions, const DeviceMemory& weights,
                                 const DeviceMemory& softenings) {
    launch_grid(queue_, LeafContents{}, cell_count(), cells_, positions, weights, contents_);
    for (std::size_t level = levels_.size() - 1; level-- > 0;)
        launch_grid(queue_, JoinContents{levels_[level]}, levels_[level + 1] - levels_[level], cells_, contents_);
    if (softenings.bytes() == 0) return;
    make_room(softenings_, device_, cell_count() * sizeof(CellSoftening));
    launch_grid(queue_, LeafSoftenings{}, cell_count(), cells_, softenings, weights, softenings_);
    for (std::size_t level = levels_.size() - 1; level-- > 0;)
        launch_grid(queue_, JoinSoftenings{levels_[level]}, levels_[level + 1] - levels_[level], cells_, contents_,
                    softenings_);
}

}  // namespace trellis
