#include "trellis/forces/short_range/neighbour_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/tree/predicted_fields.hpp"

namespace trellis {

namespace {

// Single precision ranges from 1e-38 to 1e38: squares of values between these limits are well within.
constexpr double smallest_single = 1e-15, largest_single = 1e15;

// True if rounding to single precision, relative to the centre of a group, moves particles by 2e-6 of their largest
// search radius or more: the group is wider than 64 of these.
bool too_wide_for_single(const Zone& group) {
    const Vec3<double> sides = group.bounds.high - group.bounds.low;
    return group.radius > 0 && std::max({sides.x, sides.y, sides.z}) > 64 * group.radius;
}

}  // namespace

bool single_suits(const SortedColumns& columns, double reach) {
    if (reach > 0 && (reach < smallest_single || reach > largest_single)) return false;
    for (std::size_t c = 3; c < columns.component_count(); ++c) {
        const double* values = columns.component(c);
        const auto any_too_large = [&](std::size_t begin, std::size_t end) {
            bool any = false;
            for (std::size_t slot = begin; slot < end; ++slot) any |= std::abs(values[slot]) > largest_single;
            return any;
        };
        if (parallel_reduce(columns.size(), false, any_too_large, std::logical_or<>())) return false;
    }
    return true;
}

NeighbourEvaluator::NeighbourEvaluator(NeighbourKernels kernels, std::shared_ptr<const void> interaction,
                                       Precision precision)
    : kernels_(std::move(kernels)),
      interaction_(std::move(interaction)),
      precision_(precision),
      rows_(kernels_.row_kinds) {}

void NeighbourEvaluator::use_devices(const std::shared_ptr<DeviceNeighbours>& neighbours) {
    launch_ = neighbours == nullptr ? nullptr : std::make_unique<NeighbourLaunch>(neighbours);
}

// True if single precision is used; the same on all ranks, since their particles interact.
bool NeighbourEvaluator::single_suits_all(const Neighbourhood& neighbourhood) const {
    if (precision_ != Precision::automatic) return precision_ == Precision::single_;
    const bool suits =
        neighbourhood.size() == 0 || trellis::single_suits(columns_, neighbourhood.tree().zone(0).radius);
    return neighbourhood.ranks() == nullptr ? suits : !any_rank(*neighbourhood.ranks()->comm, !suits);
}

void NeighbourEvaluator::begin(const Neighbourhood& neighbourhood, const ParticleSet& particles,
                               std::span<const Prediction> predictions, Phases& phases,
                               const NeighbourSelection* some) {
    some_ = some;
    const auto order = neighbourhood.tree().order();
    const bool at_once = std::ranges::all_of(predictions, [](const Prediction& ahead) { return ahead.time == 0; });
    if (some != nullptr && at_once && reads_some(neighbourhood)) {
        {
            const PhaseTimer timer(phases, Phase::copy_all);
            columns_.gather_some(particles, kernels_.fields, order, on_host() ? some->own_blocks : some->blocks);
            if (on_host()) rows_.gather(particles, kernels_.fields, kernels_.source_components, order, some->blocks);
        }
        return launch(neighbourhood, phases);
    }
    for (const FieldInfo& field : kernels_.fields)
        if (field.name != Position::name) particles.check_finite(field.name);  // positions were when lists were made
    {
        const PhaseTimer timer(phases, Phase::copy_all);
        read(particles, predictions, order);
        single_ = single_suits_all(neighbourhood);
    }
    {
        const PhaseTimer timer(phases, Phase::exchange_essential_trees);
        exchange_ = neighbourhood.begin_ghosts(columns_, kernels_.source_components);
    }
    if (exchange_ == nullptr) launch(neighbourhood, phases);
}

// The values are those of the last evaluation of all, or follow from them: they are finite, and the precision is the
// same.
bool NeighbourEvaluator::reads_some(const Neighbourhood& neighbourhood) const {
    return evaluated_ && neighbourhood.ranks() == nullptr;
}

void NeighbourEvaluator::launch(const Neighbourhood& neighbourhood, Phases& phases) {
    if (on_host()) return;
    launch_->dispatch(kernels_, interaction_.get(), single_, neighbourhood, columns_, some_, phases);
}

// Reads the columns, ahead of their time where they are predicted.
void NeighbourEvaluator::read(const ParticleSet& particles, std::span<const Prediction> predictions,
                              std::span<const std::uint32_t> order) {
    if (on_host()) rows_.make_room(order.size(), kernels_.source_components);
    const PredictedFields predict(columns_, particles, kernels_.fields, order, predictions);
    const auto then = [&](std::size_t first, std::size_t end) {
        predict(first, end);
        if (on_host()) rows_.copy(columns_, first, end);
    };
    columns_.gather(particles, kernels_.fields, order, std::cref(then));  // which allocates nothing
}

// Waits for the ghosts from other ranks, if they have not been received.
void NeighbourEvaluator::receive(const Neighbourhood& neighbourhood, Phases& phases) {
    if (exchange_ == nullptr) return;
    {
        const PhaseTimer timer(phases, Phase::exchange_essential_trees);
        neighbourhood.finish_ghosts(*exchange_, kernels_.source_components, columns_);
        if (on_host()) rows_.append(columns_, kernels_.source_components);
        exchange_.reset();
    }
    launch(neighbourhood, phases);
}

Work NeighbourEvaluator::finish(const Neighbourhood& neighbourhood, ParticleSet& particles, Sums sums, Phases& phases) {
    evaluated_ = true;
    find_components(particles, kernels_.outcome, outcome_);
    NeighbourScene scene{&neighbourhood.lists(),
                         {},
                         nullptr,
                         neighbourhood.tree().order().data(),
                         outcome_,
                         sums == Sums::add,
                         some_ == nullptr ? nullptr : some_->rows.data()};
    if (!on_host()) {
        receive(neighbourhood, phases);
        point_to_columns(scene);
        return launch_->retrieve(interaction_.get(), scene, phases);
    }
    const bool travelling = exchange_ != nullptr;
    const ClusterLists& clusters = neighbourhood.clusters(phases);
    const auto evaluate = [&](auto&& chosen) {
        const auto kernel = [&](std::size_t g) { return chosen(g) ? kernel_of(neighbourhood, g) : nullptr; };
        return evaluate_groups(scene, clusters, kernel, phases);
    };
    if (!travelling) return evaluate([](std::size_t) { return true; });
    // Groups whose neighbours are all local are evaluated while ghosts travel.
    Work work = evaluate([&](std::size_t g) { return !neighbourhood.lists_ghosts(g); });
    receive(neighbourhood, phases);
    work += evaluate([&](std::size_t g) { return neighbourhood.lists_ghosts(g); });
    return work;
}

// Null for a group without active rows.
NeighbourKernels::Evaluate NeighbourEvaluator::kernel_of(const Neighbourhood& neighbourhood, std::size_t group) const {
    if (some_ != nullptr && some_->groups[group] == 0) return nullptr;
    const bool may_change = precision_ == Precision::automatic && launch_ == nullptr;
    const SearchTree& tree = neighbourhood.tree();
    const bool single = single_ && !(may_change && too_wide_for_single(tree.zone(tree.leaves()[group])));
    return single ? kernels_.single_precision : kernels_.double_precision;
}

void NeighbourEvaluator::point_to_columns(NeighbourScene& scene) {
    components_.clear();
    for (std::size_t c = 0; c < columns_.component_count(); ++c) components_.push_back(columns_.component(c));
    scene.columns = components_;
    scene.rows = rows_.data();
}

template <class KernelOf>
Work NeighbourEvaluator::evaluate_groups(NeighbourScene scene, const ClusterLists& clusters, KernelOf&& kernel_of,
                                         Phases& phases) {
    const PhaseTimer timer(phases, Phase::force_kernel);
    point_to_columns(scene);
    const auto groups = scene.lists->groups();
    workspaces_.resize(static_cast<std::size_t>(thread_count()));
    group_work_.assign(groups.size(), {});
    parallel_tasks(groups.size(), [&](std::size_t g, int thread) {
        if (exchange_ != nullptr && thread == 0) exchange_->progress();
        const NeighbourKernels::Evaluate evaluate = kernel_of(g);
        if (evaluate == nullptr) return;
        group_work_[g] = evaluate(interaction_.get(), scene, groups[g], clusters.groups()[g],
                                  workspaces_[static_cast<std::size_t>(thread)]);
    });
    Work total;
    for (const Work& of_group : group_work_) total += of_group;
    return total;
}

}  // namespace trellis
