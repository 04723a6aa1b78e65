#include "trellis/forces/host_evaluator.hpp"

#include <algorithm>
#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

HostEvaluator::HostEvaluator(CompiledInteraction interaction) : interaction_(std::move(interaction)) {}

void HostEvaluator::dispatch(const ListedTree& listed, Walk* walk, Phases& phases) {
    if (walk != nullptr) {
        const PhaseTimer timer(phases, Phase::make_interaction_list);
        walk->make_branches(0, listed.lists().branches.size());
    }
    const PhaseTimer timer(phases, Phase::calculate_moments);
    find_units(listed);
}

// The unit of length of a cell's expansions is its radius. The cells of one place have nothing that depends on it, so that it
// need only be small enough for its powers not to overflow.
void HostEvaluator::find_units(const ListedTree& listed) {
    const Tree& tree = listed.tree();
    const auto cells = tree.cells();
    const auto levels = tree.levels();
    const auto unit = [&](std::size_t c, double largest) {
        const double radius = listed.moments().spheres()[c].radius;
        return radius > 0 ? radius : std::min(tree.side(cells[c]), largest);
    };
    units_.resize(cells.size());
    if (!cells.empty()) units_[0] = unit(0, tree.root_box().side);
    for (std::size_t level = 0; level + 1 < levels.size(); ++level)
        parallel_for(levels[level + 1] - levels[level], [&](std::size_t k) {
            const std::size_t parent = levels[level] + k;
            if (cells[parent].is_leaf()) return;
            for (const std::size_t child : {std::size_t{cells[parent].child}, std::size_t{cells[parent].child} + 1})
                units_[child] = unit(child, units_[parent]);
        });
}

// What the interaction reads of leaves and cells, rounded to its precision: EPJ and SPJ.
void HostEvaluator::prepare(Scene& scene, const ListedTree& listed, const ForceKernels& kernels, std::byte* j_particles,
                            std::byte* table) {
    constexpr std::size_t stretch = 256;
    const auto in_stretches = [&](std::size_t begin, std::size_t end, const auto& work) {
        parallel_tasks((end - begin + stretch - 1) / stretch, [&](std::size_t task, int) {
            work(begin + task * stretch, std::min(begin + (task + 1) * stretch, end));
        });
    };
    in_stretches(0, scene.cells.size(),
                 [&](std::size_t begin, std::size_t end) { kernels.j_particles(scene, begin, end, j_particles); });
    scene.j_particles = j_particles;
    const auto levels = listed.tree().levels();
    for (std::size_t level = levels.size() - 1; level-- > 0;)
        in_stretches(levels[level], levels[level + 1], [&](std::size_t begin, std::size_t end) {
            kernels.describe_cells(scene, listed.strength(), begin, end, table);
        });
}

Work HostEvaluator::retrieve(const ListedTree& listed, std::span<const ResultComponent> results, Phases& phases) {
    const auto cells = listed.tree().cells();
    if (cells.empty()) return {};
    const SortedColumns& sorted = listed.columns();
    std::vector<const double*> columns, sums;
    for (std::size_t c = 0; c < sorted.component_count(); ++c) columns.push_back(sorted.component(c));
    for (std::size_t c = 3; c < sorted.component_count(); ++c) sums.push_back(listed.moments().sum(c));
    const InteractionLists& lists = listed.lists();
    const int order = listed.opening().order;
    Scene scene{cells,
                listed.moments().spheres().data(),
                units_.data(),
                listed.tree().root_box().low,
                columns,
                nullptr,
                sums,
                listed.tree().order().data(),
                &lists,
                results,
                listed.opening().receiver,
                order};
    const InteractionKernels& all = interaction_.kernels;
    const ForceKernels& kernels = interaction_.single(listed) ? all.single_precision : all.double_precision;
    const std::size_t table_bytes = cells.size() * kernels.row_bytes(order);
    const std::size_t j_bytes = all.source_components * padded_slots(sorted.size()) * kernels.value_bytes;
    cell_rows_.start(table_bytes);
    j_particles_.start(j_bytes);
    auto* table = cell_rows_.take<std::byte>(table_bytes);
    {
        const PhaseTimer timer(phases, Phase::calculate_moments);
        prepare(scene, listed, kernels, j_particles_.take<std::byte>(j_bytes), table);
    }
    const PhaseTimer timer(phases, Phase::force_kernel);
    workspaces_.resize(static_cast<std::size_t>(thread_count()));
    std::vector<std::byte> trunk_locals(lists.trunk.targets.size() * kernels.row_bytes(order));
    const void* parameters = interaction_.parameters.get();
    Work work = kernels.evaluate(parameters, scene, lists.trunk, table, trunk_locals.data(), workspaces_[0]);
    std::vector<Work> branch_work(lists.branches.size());
    parallel_tasks(lists.branches.size(), [&](std::size_t b, int thread) {
        branch_work[b] = kernels.evaluate(parameters, scene, lists.branches[b], table, trunk_locals.data(),
                                          workspaces_[static_cast<std::size_t>(thread)]);
    });
    for (const Work& part : branch_work) work += part;
    return work;
}

}  // namespace trellis
