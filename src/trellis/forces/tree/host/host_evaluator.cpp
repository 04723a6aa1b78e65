#include "trellis/forces/tree/host/host_evaluator.hpp"

#include <chrono>
#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

HostEvaluator::HostEvaluator(CompiledInteraction interaction, bool keeps_lists)
    : interaction_(std::move(interaction)), keeps_lists_(keeps_lists), tables_(interaction_) {}

void HostEvaluator::describe(const ListedTree& listed, bool /*shared*/, Phases& phases) {
    const PhaseTimer timer(phases, Phase::calculate_moments);
    tables_.describe(listed);
}

void HostEvaluator::describe_imported(const ListedTree& listed, const ImportedCells& imported, Phases& phases) {
    const PhaseTimer timer(phases, Phase::calculate_moments);
    tables_.describe_imported(listed, imported);
}

void HostEvaluator::dispatch(const ListedTree&, std::optional<Walk> walk, Phases& phases) {
    walk_.reset();
    if (!walk) return;
    if (!keeps_lists_) {
        walk_.emplace(*walk);
        return;
    }
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    walk->make_all_branches();
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
    const std::size_t branches = lists.branches().size();
    threads_.resize(static_cast<std::size_t>(thread_count()));
    trunk_locals_.resize(lists.trunk.targets.size() * tables_.kernels().expansion_bytes);
    kept_.resize(branches + 1);
    branch_work_.resize(branches);
    Work work = evaluate(scene, lists.trunk, kept_[0], threads_[0].workspace);
    parallel_tasks(branches, [&](std::size_t b, int thread) {
        if (thread == 0) meanwhile();
        const Branch& branch = branch_of(lists, b, thread);
        branch_work_[b] = evaluate(scene, branch, kept_[b + 1], threads_[static_cast<std::size_t>(thread)].workspace);
    });
    walk_.reset();
    note_listing(phases);
    for (const Work& of_branch : branch_work_) work += of_branch;
    return work;
}

// The branch from the lists, or made now in place of the thread's last one.
const Branch& HostEvaluator::branch_of(const InteractionLists& lists, std::size_t number, int thread) {
    if (!walk_) return lists.branches()[number];
    const auto start = Phases::Clock::now();
    OfThread& own = threads_[static_cast<std::size_t>(thread)];
    own.branch.clear();
    walk_->make_branch(number, thread, own.branch);
    own.seconds_listing += std::chrono::duration<double>(Phases::Clock::now() - start).count();
    return own.branch;
}

Work HostEvaluator::evaluate(const Scene& scene, const Branch& branch, Kept& kept, Workspace& workspace) {
    const OrderKernels& kernels = tables_.kernels();
    if (scene.part == Part::local && scene.receiver == Receiver::cell) {
        const std::size_t bytes = branch.targets.size() * kernels.expansion_bytes;
        kept.space.start(Workspace::bytes_of<std::byte>(bytes));
        kept.locals = kept.space.take<std::byte>(bytes);
    }
    return kernels.evaluate(interaction_.parameters.get(), scene, branch, tables_.rows(), trunk_locals_.data(),
                            kept.locals, workspace);
}

// The threads' lists, which were made among the forces, are not theirs.
void HostEvaluator::note_listing(Phases& phases) {
    double seconds = 0;
    for (OfThread& own : threads_) seconds += std::exchange(own.seconds_listing, 0.0);
    seconds /= static_cast<double>(threads_.size());
    phases.add(Phase::make_interaction_list, seconds);
    phases.add(Phase::force_kernel, -seconds);
}

std::unique_ptr<Evaluator> host_evaluator(const CompiledInteraction& interaction, bool keeps_lists) {
    return std::make_unique<HostEvaluator>(interaction, keeps_lists);
}

}  // namespace trellis
