#include "trellis/forces/host_evaluator.hpp"

#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

HostEvaluator::HostEvaluator(CompiledInteraction interaction)
    : interaction_(std::move(interaction)), tables_(interaction_) {}

void HostEvaluator::describe(const ListedTree& listed, Phases& phases) {
    const PhaseTimer timer(phases, Phase::calculate_moments);
    tables_.describe(listed);
}

void HostEvaluator::describe_graft(const ListedTree& listed, const Graft& graft, Phases& phases) {
    const PhaseTimer timer(phases, Phase::calculate_moments);
    tables_.describe_graft(listed, graft);
}

void HostEvaluator::dispatch(const ListedTree&, Walk* walk, Phases& phases) {
    if (walk == nullptr) return;
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    walk->make_all_branches();
}

Work HostEvaluator::retrieve(const ListedTree& listed, std::span<const ResultComponent> results,
                             const Meanwhile& meanwhile, Phases& phases) {
    Scene scene = tables_.scene(listed);
    scene.results = results;
    scene.lists = &listed.lists();
    scene.with_own_group = true;
    return evaluate(std::move(scene), meanwhile, phases);
}

Work HostEvaluator::retrieve_graft(const ListedTree& listed, std::span<const ResultComponent> results, Phases& phases) {
    Scene scene = tables_.scene(listed);
    scene.results = results;
    scene.lists = &listed.grafted_lists();
    scene.with_own_group = false;
    return evaluate(std::move(scene), [] {}, phases);
}

Work HostEvaluator::evaluate(Scene scene, const Meanwhile& meanwhile, Phases& phases) {
    if (scene.cells.empty()) return {};
    const PhaseTimer timer(phases, Phase::force_kernel);
    const InteractionLists& lists = *scene.lists;
    const ForceKernels& kernels = tables_.kernels();
    workspaces_.resize(static_cast<std::size_t>(thread_count()));
    std::vector<std::byte> trunk_locals(lists.trunk.targets.size() * kernels.row_bytes(scene.order_of_expansion));
    const void* parameters = interaction_.parameters.get();
    Work work = kernels.evaluate(parameters, scene, lists.trunk, tables_.rows(), trunk_locals.data(), workspaces_[0]);
    std::vector<Work> branch_work(lists.branches.size());
    parallel_tasks(lists.branches.size(), [&](std::size_t b, int thread) {
        if (thread == 0) meanwhile();
        branch_work[b] = kernels.evaluate(parameters, scene, lists.branches[b], tables_.rows(), trunk_locals.data(),
                                          workspaces_[static_cast<std::size_t>(thread)]);
    });
    for (const Work& part : branch_work) work += part;
    return work;
}

}  // namespace trellis
