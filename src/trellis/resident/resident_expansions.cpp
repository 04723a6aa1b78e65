#include "trellis/resident/resident_expansions.hpp"

#include <utility>
#include <vector>

#include "trellis/devices/room.hpp"
#include "trellis/forces/tree/device/batches/device_cells.hpp"
#include "trellis/forces/tree/kernels/device_moments.hpp"
#include "trellis/lists/walk/many_cells.hpp"
#include "trellis/lists/walk/recheck.hpp"
#include "trellis/lists/walk/walk.hpp"
#include "trellis/resident/kernels/expansion_kernels.hpp"
#include "trellis/resident/kernels/tree_kernels.hpp"

namespace trellis {

ResidentExpansions::ResidentExpansions(std::shared_ptr<Device> device, Queue& queue, ResidentState& state,
                                       CompiledInteraction interaction, double coupling, const ForceChoice& choice)
    : device_(std::move(device)),
      queue_(queue),
      state_(state),
      interaction_(std::move(interaction)),
      coupling_(coupling),
      choice_(choice),
      batch_(device_, queue) {}

void ResidentExpansions::make(const ResidentTree& tree, const Box& root, const DeviceMemory& accelerations,
                              bool by_acceleration, Phases& phases) {
    has_tolerances_ = by_acceleration;
    if (has_tolerances_) find_tolerances(tree, accelerations);
    on_host_.fetch(device_, queue_, tree, tolerances());
    {
        const PhaseTimer timer(phases, Phase::make_interaction_list);
        on_host_.find_sizes(root.side, choice_.opening);
        walk();
    }
    const PhaseTimer timer(phases, Phase::copy_list);
    const InteractionKernels& all = interaction_.kernels;
    single_ = single_suits(interaction_.precision, root.side, on_host_.cells().weights[0]);
    kernel_ = batch_kernel(all, single_ ? all.single_precision : all.double_precision, choice_.opening.order);
    kernel_.set_constants(all, interaction_.parameters.get());
    send(tree);
}

void ResidentExpansions::find_tolerances(const ResidentTree& tree, const DeviceMemory& accelerations) {
    make_room(tolerances_, device_, tree.cell_count() * sizeof(ToleranceRange));
    const double share = share_in_open_space(choice_.opening, choice_.tolerance) / coupling_;
    launch_grid(queue_, LeafTolerances{share}, tree.cell_count(), tree.cells(), accelerations, tolerances_);
    const std::vector<std::uint32_t>& levels = tree.levels();
    for (std::size_t level = levels.size() - 1; level-- > 0;)
        launch_grid(queue_, JoinTolerances{levels[level]}, levels[level + 1] - levels[level], tree.cells(),
                    tolerances_);
}

void ResidentExpansions::walk() {
    const std::uint32_t root = 0;
    Walk(on_host_.cells(), on_host_.sizes(), choice_.opening, choice_.group_size, on_host_.tolerances(), {&root, 1},
         lists_)
        .make_all_branches();
}

void ResidentExpansions::send(const ResidentTree& tree) {
    const std::span<const Cell> cells = on_host_.cells().cells;
    const ListsOfCells listed(cells, lists_, choice_.opening, cells[0].count);
    const std::vector<DeviceLists> lists = lists_of_branches(listed, 0, lists_.branches().size());
    batch_.send(lists, {}, nullptr, kernel_, ResultOrder::slots);
    const FarLists trunk = trunk_targets(listed);
    const auto sizes = FarTargets::sizes(trunk.counts(), kernel_);
    for (std::size_t k = 0; k < sizes.size(); ++k) make_room(*trunk_.memories()[k], device_, sizes[k]);
    write_moved(trunk, {}, trunk_.stage(device_, trunk.counts()));
    trunk_.send(queue_);
    work_ = counts_of(lists).work();
    work_.expansions += trunk.expansions;

    make_room(cells_, device_, cells.size() * kernel_.cell_bytes);
    make_room(frames_, device_, cells.size() * frame_values * kernel_.row.value_bytes);
    if (choice_.opening.receiver == Receiver::cell) return;
    make_room(sizes_, device_, cells.size() * sizeof(CellSize));
    launch_grid(queue_, MakeSizes{choice_.opening.theta, interaction_.precision, single_}, cells.size(), tree.cells(),
                tree.contents(), state_.memory(), sizes_);
}

void ResidentExpansions::check(const ResidentTree& tree) {
    const ListedOpening by{relaxed(choice_.opening, choice_.opening_growth),
                           error_growth(choice_.opening, choice_.opening_growth)};
    const auto check_targets = [&](const FarTargets& far) {
        launch_grid(queue_, CheckTargets{by}, far.count(), tree.contents(), tree.softenings(), tolerances(),
                    far.targets(), far.lists(), state_.memory());
    };
    check_targets(trunk_);
    check_targets(batch_.far());
    launch_grid(queue_, CheckGroups{by}, batch_.group_count(), tree.contents(), tree.softenings(), tolerances(), sizes_,
                batch_.far_groups(), batch_.far().lists(), state_.memory());
}

void ResidentExpansions::evaluate(const ResidentTree& tree, const DeviceMemory& rows) {
    const auto write_frames = [&](const auto& kernel) {
        launch_grid(queue_, kernel, tree.cell_count(), tree.cells(), tree.contents(), tree.softenings(),
                    state_.memory(), frames_);
    };
    single_ ? write_frames(CellFrames<float>{}) : write_frames(CellFrames<double>{});
    make_moments(queue_, kernel_, tree.levels(), tree.cells(), frames_, rows, cells_);
    trunk_.make_locals(queue_, kernel_, cells_);
    batch_.compute(kernel_, {rows, cells_, trunk_, Mark{&queue_, 0}});
}

}  // namespace trellis
