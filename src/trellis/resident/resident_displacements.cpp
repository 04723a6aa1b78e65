#include "trellis/resident/resident_displacements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "trellis/devices/room.hpp"
#include "trellis/lists/neighbours/search/images.hpp"
#include "trellis/resident/kernels/short_range_kernels.hpp"

namespace trellis {

namespace {

// Half of the shortest period: particles that have come nearer to each other by more count as near.
double half_period(const Region& region) {
    double half = std::numeric_limits<double>::infinity();
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (region.periodic(axis)) half = std::min(half, 0.5 * (region.high[axis] - region.low[axis]));
    return half;
}

// The slots of each block, by its number.
std::vector<BlockSlots> slots_of_blocks(const SearchTree& tree) {
    std::vector<BlockSlots> slots(tree.block_count());
    for (const std::uint32_t leaf : tree.leaves()) {
        const Cell& cell = tree.cells()[leaf];
        for (std::uint32_t b = 0; b < SearchTree::blocks_of(cell.count); ++b) {
            const std::uint32_t first = cell.first + b * SearchTree::block_size;
            slots[tree.first_block(leaf) + b] = {first, std::min(SearchTree::block_size, cell.end() - first)};
        }
    }
    return slots;
}

}  // namespace

void ResidentDisplacements::begin(Queue& queue, const SearchTree& tree, double cutoff, double skin,
                                  const Region& region) {
    cutoff_ = cutoff;
    skin_ = skin;
    farthest_ = half_period(region);
    particles_ = tree.size();
    block_count_ = tree.block_count();
    levels_.assign(tree.levels().begin(), tree.levels().end());
    const double reach = cutoff + (std::isinf(farthest_) ? 0 : farthest_);
    const auto shifts = shifts_near(region, tree.zone(0).bounds, tree.zone(0).bounds, reach);
    images_ = shifts.size();
    const std::vector<BlockSlots> slots = slots_of_blocks(tree);
    const auto send = [&]<class T>(DeviceMemory& memory, std::span<const T> values) {
        make_room(memory, device_, values.size_bytes());
        queue.upload(memory, 0, std::as_bytes(values));
    };
    const std::size_t cells = tree.cells().size();
    send(cells_, tree.cells());
    send(zones_, std::span(tree.view().zones, cells));
    send(first_block_, std::span(tree.view().first_block, cells));
    send(blocks_, std::span(tree.view().blocks, block_count_));
    send(slots_, std::span<const BlockSlots>(slots));
    send(shifts_, std::span<const Vec3<double>>(shifts));
    make_room(of_blocks_, device_, block_count_ * sizeof(Displacements));
    make_room(of_cells_, device_, cells * sizeof(Displacements));
    queue.wait();
}

void ResidentDisplacements::check(Queue& queue, const DeviceMemory& now, const DeviceMemory& then,
                                  const DeviceMemory& state) {
    launch_grid(queue, MoveBlocks{particles_}, block_count_, slots_, now, then, of_blocks_);
    for (std::size_t level = levels_.size() - 1; level-- > 0;)
        launch_grid(queue, MoveCells{levels_[level]}, levels_[level + 1] - levels_[level], cells_, first_block_,
                    of_blocks_, of_cells_);
    launch_grid(queue, CheckNeighbours{cutoff_, skin_, farthest_, images_}, block_count_, cells_, zones_, first_block_,
                blocks_, shifts_, of_blocks_, of_cells_, state);
}

}  // namespace trellis
