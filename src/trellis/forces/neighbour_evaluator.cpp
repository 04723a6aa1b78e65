#include "trellis/forces/neighbour_evaluator.hpp"

#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

NeighbourEvaluator::NeighbourEvaluator(NeighbourKernels kernels, std::shared_ptr<const void> interaction,
                                       Precision precision)
    : kernels_(std::move(kernels)),
      interaction_(std::move(interaction)),
      evaluate_(precision == Precision::double_ ? kernels_.double_precision : kernels_.single_precision) {}

NeighbourScene NeighbourEvaluator::scene(const Neighbourhood& neighbourhood) const {
    NeighbourScene scene{&neighbourhood.lists(), {}, neighbourhood.tree().order().data(), {}, false};
    for (std::size_t c = 0; c < columns_.component_count(); ++c) scene.columns.push_back(columns_.component(c));
    return scene;
}

Work NeighbourEvaluator::evaluate(const Neighbourhood& neighbourhood, ParticleSet& particles, Sums sums, Phases& phases,
                                  std::span<const std::uint8_t> groups) {
    for (const FieldInfo& field : kernels_.fields) particles.check_finite(field.name);
    neighbourhood.gather(particles, kernels_.fields, kernels_.source_components, columns_, phases);
    const PhaseTimer timer(phases, Phase::force_kernel);
    std::vector<ResultComponent> outcome;
    for (const FieldInfo& field : kernels_.outcome)
        for (std::size_t c = 0; c < field.components; ++c)
            outcome.push_back({particles.column(field.name).values() + c, field.components});
    NeighbourScene scene = this->scene(neighbourhood);
    scene.outcome = outcome;
    scene.add = sums == Sums::add;
    const auto all = neighbourhood.lists().groups();
    workspaces_.resize(static_cast<std::size_t>(thread_count()));
    std::vector<Work> work(all.size());
    parallel_tasks(all.size(), [&](std::size_t g, int thread) {
        if (groups.empty() || groups[g] != 0)
            work[g] = evaluate_(interaction_.get(), scene, all[g], workspaces_[static_cast<std::size_t>(thread)]);
    });
    Work total;
    for (const Work& of_group : work) total += of_group;
    return total;
}

}  // namespace trellis
