#include "trellis/resident/resident_lists.hpp"

#include <algorithm>
#include <utility>

#include "trellis/devices/room.hpp"
#include "trellis/lists/walk/many_cells.hpp"
#include "trellis/lists/walk/recheck.hpp"
#include "trellis/resident/kernels/list_kernels.hpp"
#include "trellis/resident/kernels/sort_and_scan.hpp"
#include "trellis/resident/kernels/tree_kernels.hpp"

namespace trellis {

ResidentLists::ResidentLists(std::shared_ptr<Device> device, Queue& queue, ResidentState& state, std::size_t particles,
                             const ForceChoice& choice, double coupling)
    : device_(std::move(device)),
      queue_(queue),
      state_(state),
      particles_(static_cast<std::uint32_t>(particles)),
      choice_(choice),
      coupling_(coupling),
      largest_group_(std::min(choice.group_size, particles_)) {}

void ResidentLists::make(const ResidentTree& tree, const DeviceMemory& accelerations, bool by_acceleration,
                         bool single) {
    group_count_ = static_cast<std::uint32_t>(groups_.bytes() / sizeof(DeviceGroup));
    find_groups(tree, single);
    make_room(tolerances_, device_, group_count_ * sizeof(double));
    make_room(begins_, device_, (share_count() + 1) * sizeof(std::uint64_t));
    const double share = by_acceleration ? share_in_open_space(choice_.opening, choice_.tolerance) : any_error;
    launch_grid(queue_, GroupTolerances{share, coupling_}, group_count_, tree.cells(), group_cells_, accelerations,
                state_.memory(), tolerances_);
    const GroupWalk walk{particles_, {choice_.opening}};
    launch_grid(queue_, CountRows{walk}, share_count() + 1, tree.cells(), tree.contents(), sizes_, tree.softenings(),
                group_cells_, tolerances_, state_.memory(), begins_);
    sum_before_64(queue_, share_count() + 1, begins_, space_);
    launch_grid(queue_, DescribeGroups{index_room(), largest_group_}, group_count_, tree.cells(), group_cells_, begins_,
                groups_, state_.memory());
    launch_grid(queue_, WriteRows{index_room(), walk}, share_count(), tree.cells(), tree.contents(), sizes_,
                tree.softenings(), group_cells_, tolerances_, begins_, state_.memory(), indices_);
}

// Queues the groups and the sizes of cells.
void ResidentLists::find_groups(const ResidentTree& tree, bool single) {
    const std::size_t cells = tree.cell_count(), most_groups = (cells + 1) / 2;  // at most one for each leaf
    const std::size_t particles = particles_;
    make_room(sizes_, device_, cells * sizeof(CellSize));
    make_room(marks_, device_, (particles + 1) * sizeof(std::uint32_t));
    make_room(group_cells_, device_, most_groups * sizeof(std::uint32_t));
    make_room(space_, device_, scan_space(std::max(particles, share_count()) + 1));
    launch_grid(queue_, MakeSizes{choice_.opening.theta, choice_.precision, single}, cells, tree.cells(),
                tree.contents(), state_.memory(), sizes_);
    const GroupsBelow groups{std::min(choice_.group_size, particles_)};
    launch_grid(queue_, ClearMarks{groups.group_size}, particles + 1, marks_, state_.memory());
    launch_grid(queue_, MarkGroups{groups}, cells, tree.cells(), state_.memory(), marks_);
    sum_before_32(queue_, particles + 1, marks_, space_);
    launch_grid(queue_, CollectGroups{particles_, group_count_, groups}, cells, tree.cells(), marks_, group_cells_,
                state_.memory());
}

void ResidentLists::learn(const ResidentValues& made) {
    if (made.cell_count == 0) return;
    make_room(groups_, device_, made.groups_found * sizeof(DeviceGroup));
    if (made.group_count == 0) return;
    group_count_ = made.group_count;
    largest_group_ = made.largest_group;
    index_count_ = made.index_count;
    pairs_ = made.pairs;
    make_room(indices_, device_, index_count_ * sizeof(std::uint32_t));
}

void ResidentLists::check(const ResidentTree& tree) {
    const CheckLists check{particles_,
                           error_growth(choice_.opening, choice_.opening_growth),
                           {relaxed(choice_.opening, choice_.opening_growth)}};
    launch_grid(queue_, check, share_count(), tree.contents(), sizes_, tree.softenings(), group_cells_, tolerances_,
                begins_, indices_, state_.memory());
}

std::size_t ResidentLists::share_count() const { return std::size_t{group_count_} * walk_shares; }

}  // namespace trellis
