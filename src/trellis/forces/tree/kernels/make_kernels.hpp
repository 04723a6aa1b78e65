// Compiles an interaction for the instruction set of the including source, into the table that a TreeForce works with.
#pragma once

#include <typeinfo>

#include "trellis/forces/components.hpp"
#include "trellis/forces/reference.hpp"
#include "trellis/forces/tree/kernels/branch_force.hpp"
#include "trellis/forces/tree/kernels/row_pairs.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I, class R, int Order>
Work evaluate_branch(const void* interaction, const Scene& scene, const Branch& branch, const void* rows,
                     void* trunk_locals, void* kept_locals, Workspace& workspace) {
    static const FieldSteps<I, R> steps = field_steps<I, R, Order>();
    return BranchForce<I, R>(*static_cast<const I*>(interaction), steps, scene, branch, static_cast<const R*>(rows),
                             static_cast<R*>(trunk_locals), static_cast<R*>(kept_locals), workspace)
        .run();
}

template <class I, class R>
OrderKernels kernels_at_order(int order) {
    if constexpr (Expandable<I>)
        if (order > 1)
            return at_order(order, [](auto constant) {
                const ExpansionSteps<R> steps = expansion_steps<R>(constant);
                return OrderKernels{steps.row_bytes, steps.expansion_bytes, steps.describe_cells, steps.join_moments,
                                    evaluate_branch<I, R, constant>};
            });
    return {sizeof(R) * superparticle_stride<I, R>, 0, make_superparticles<I, R>, nullptr, evaluate_branch<I, R, 1>};
}

template <class I, class R>
ForceKernels kernels_in() {
    return {sizeof(R),       stage_leaves<I, R>,   kernels_at_order<I, R>,
            row_pairs<I, R>, row_pairs_uses<I, R>, write_back<I, R>};
}

template <class I>
std::optional<std::size_t> softening_component() {
    if constexpr (Softened<I>) return softening_in<typename I::Source, I>;
    return std::nullopt;
}

// The table of an interaction; called by tree_force (compile.hpp).
template <Interaction I>
InteractionKernels make_kernels() {
    using Union = UnionOfFields<typename I::Source, typename I::Target>;
    return {typeid(I).name(),
            sizeof(I),
            Union::infos(),
            InfosOf<typename I::Result>::all(),
            I::Source::components,
            Union::template component_in_source<typename StrengthOf<I>::type>(),
            softening_component<I>(),
            !has_dipole<I>,
            Expandable<I>,
            kernels_in<I, float>(),
            kernels_in<I, double>(),
            reference_sum<I>};
}

TRELLIS_ISA_END
}  // namespace trellis
