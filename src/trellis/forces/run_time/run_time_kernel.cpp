#include "trellis/forces/run_time/run_time_kernel.hpp"

#include "trellis/forces/run_time/run_time_far_field.hpp"
#include "trellis/forces/run_time/run_time_field.hpp"
#include "trellis/forces/run_time/run_time_neighbours.hpp"
#include "trellis/forces/run_time/run_time_pair_loop.hpp"
#include "trellis/forces/run_time/run_time_reference.hpp"
#include "trellis/forces/tree/kernels/make_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

// Like evaluate_branch (make_kernels.hpp), at an order above 1.
template <class R, int Order>
Work evaluate_run_time_branch(const void* pair, const Scene& scene, const Branch& branch, const void* rows,
                              void* trunk_locals, void* kept_locals, Workspace& workspace) {
    static const FieldSteps<RunTimePair, R> steps{terms(Order), expansion_steps<R>(Order), add_run_time_local<Order, R>,
                                                  add_run_time_field<Order, R>};
    return BranchForce<RunTimePair, R>(*static_cast<const RunTimePair*>(pair), steps, scene, branch,
                                       static_cast<const R*>(rows), static_cast<R*>(trunk_locals),
                                       static_cast<R*>(kept_locals), workspace)
        .run();
}

template <class R>
ForceKernels tree_kernels_in(const RunTimePair& pair) {
    const std::size_t row_bytes = sizeof(R) * superparticle_stride<R>(pair.source_components);
    const auto at_order = [row_bytes](int order) {
        if (order == 1)
            return OrderKernels{row_bytes, 0, make_superparticles<R>, nullptr, evaluate_branch<RunTimePair, R, 1>};
        return trellis::at_order(order, [](auto constant) {
            const ExpansionSteps<R> steps = expansion_steps<R>(constant);
            return OrderKernels{steps.row_bytes, steps.expansion_bytes, steps.describe_cells, steps.join_moments,
                                evaluate_run_time_branch<R, constant>};
        });
    };
    return {sizeof(R), stage_leaves<R>, at_order, nullptr, nullptr, nullptr};
}

template <class R>
Work evaluate_run_time_neighbours(const void* pair, const NeighbourScene& scene, const NeighbourGroup& group,
                                  const GroupClusters& clusters, Workspace& workspace) {
    return RunTimeNeighbours<R>(*static_cast<const RunTimePair*>(pair), scene, group, clusters, workspace).run();
}

}  // namespace

InteractionKernels run_time_tree_kernels(const RunTimePair& pair) {
    InteractionKernels kernels{pair.name.c_str(),
                               0,
                               nullptr,
                               pair.fields,
                               pair.outcome,
                               pair.source_components,
                               pair.strength,
                               std::nullopt,
                               false,
                               pair.expandable(),
                               tree_kernels_in<float>(pair),
                               tree_kernels_in<double>(pair),
                               run_time_reference};
    if (pair.expandable()) {
        kernels.field_of_source = run_time_field_of_source;
        kernels.results_of_field = run_time_results_of_field;
        kernels.shows_coupling = true;
    }
    return kernels;
}

NeighbourKernels run_time_neighbour_kernels(const RunTimePair& pair) {
    std::size_t summed = 0;
    for (std::size_t components = 0; components < pair.summed; ++summed) components += pair.outcome[summed].components;
    return {pair.name.c_str(),
            pair.fields,
            pair.source_components,
            pair.outcome,
            summed,
            pair.evolves,
            pair.search,
            pair.radius,
            evaluate_run_time_neighbours<float>,
            evaluate_run_time_neighbours<double>,
            {},
            {},
            run_time_neighbour_reference,
            [](const void* interaction) { return static_cast<const RunTimePair*>(interaction)->sums_over_pairs; },
            pair.row_values > 0 ? std::optional(pair.row_kinds) : std::nullopt};
}

std::size_t run_time_vector_bytes() { return vector_bytes; }

TRELLIS_ISA_END
}  // namespace trellis
