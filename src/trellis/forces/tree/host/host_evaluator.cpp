#include "trellis/forces/tree/host/host_evaluator.hpp"

#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

HostEvaluator::HostEvaluator(CompiledInteraction interaction)
    : interaction_(std::move(interaction)), tables_(interaction_) {}

void HostEvaluator::describe(const ListedTree& listed, Phases& phases) {
    const PhaseTimer timer(phases, Phase::calculate_moments);
    tables_.describe(listed);
}

void HostEvaluator::describe_imported(const ListedTree& listed, const ImportedCells& imported, Phases& phases) {
    const PhaseTimer timer(phases, Phase::calculate_moments);
    tables_.describe_imported(listed, imported);
}

void HostEvaluator::dispatch(const ListedTree&, Walk* walk, Phases& phases) {
    if (walk == nullptr) return;
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    walk->make_all_branches();
}

void HostEvaluator::make_room_for_kept(const Scene& scene) {
    const bool keeps = scene.part != Part::whole && scene.receiver == Receiver::cell;
    const std::size_t bytes = keeps ? tables_.kernels().expansion_bytes : 0;
    kept_begins_.assign({0, bytes * scene.lists->trunk.targets.size()});
    for (const Branch& branch : scene.lists->branches())
        kept_begins_.push_back(kept_begins_.back() + bytes * branch.targets.size());
    kept_.resize(kept_begins_.back());
}

Work HostEvaluator::retrieve(const ListedTree& listed, Part part, std::span<const ResultComponent> results,
                             const Meanwhile& meanwhile, Phases& phases) {
    Scene scene = tables_.scene();
    if (scene.cells.empty()) return {};
    const PhaseTimer timer(phases, Phase::force_kernel);
    const InteractionLists& lists = part == Part::imported ? listed.imported_lists() : listed.lists();
    scene.results = results;
    scene.lists = &lists;
    scene.part = part;
    const OrderKernels& kernels = tables_.kernels();
    make_room_for_kept(scene);
    workspaces_.resize(static_cast<std::size_t>(thread_count()));
    trunk_locals_.resize(lists.trunk.targets.size() * kernels.expansion_bytes);
    const auto evaluate = [&](const Branch& branch, std::size_t number, int thread) {
        return kernels.evaluate(interaction_.parameters.get(), scene, branch, tables_.rows(), trunk_locals_.data(),
                                kept_.data() + kept_begins_[number], workspaces_[static_cast<std::size_t>(thread)]);
    };
    Work work = evaluate(lists.trunk, 0, 0);
    const auto branches = lists.branches();
    branch_work_.resize(branches.size());
    parallel_tasks(branches.size(), [&](std::size_t b, int thread) {
        if (thread == 0) meanwhile();
        branch_work_[b] = evaluate(branches[b], b + 1, thread);
    });
    for (const Work& of_branch : branch_work_) work += of_branch;
    return work;
}

std::unique_ptr<Evaluator> host_evaluator(const CompiledInteraction& interaction) {
    return std::make_unique<HostEvaluator>(interaction);
}

}  // namespace trellis
