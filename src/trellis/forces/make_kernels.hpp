// Compiles an interaction for the instruction set of the including source, into the table that a TreeForce works with.
#pragma once

#include <typeinfo>

#include "trellis/forces/components.hpp"
#include "trellis/forces/evaluate.hpp"
#include "trellis/forces/multipoles.hpp"
#include "trellis/forces/reference.hpp"
#include "trellis/forces/row_pairs.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I, class R, int Order, Receiver For>
Work evaluate_branch(const void* interaction, const Scene& scene, const Branch& branch, const void* table,
                     void* trunk_locals, void* kept_locals, Workspace& workspace) {
    return BranchForce<I, R, Order, For>(*static_cast<const I*>(interaction), scene, branch,
                                         static_cast<const R*>(table), static_cast<Terms<R, Order>*>(trunk_locals),
                                         static_cast<Terms<R, Order>*>(kept_locals), workspace)
        .run();
}

template <class I, class R>
Work evaluate(const void* interaction, const Scene& scene, const Branch& branch, const void* table, void* trunk_locals,
              void* kept_locals, Workspace& workspace) {
    auto* run = &evaluate_branch<I, R, 1, Receiver::particle>;
    if constexpr (Expandable<I>) {
        if (scene.receiver == Receiver::particle) {
            if (scene.order_of_expansion > 1) run = &evaluate_branch<I, R, 2, Receiver::particle>;
        } else {
            switch (scene.order_of_expansion) {
                case 2:
                    run = &evaluate_branch<I, R, 2, Receiver::cell>;
                    break;
                case 3:
                    run = &evaluate_branch<I, R, 3, Receiver::cell>;
                    break;
                case 4:
                    run = &evaluate_branch<I, R, 4, Receiver::cell>;
                    break;
                default:
                    run = &evaluate_branch<I, R, 5, Receiver::cell>;
                    break;
            }
        }
    }
    return run(interaction, scene, branch, table, trunk_locals, kept_locals, workspace);
}

template <class I, class R>
std::size_t row_bytes(int order) {
    constexpr std::size_t strides[] = {
        0, superparticle_stride<I, R>, row_stride<2, R>, row_stride<3, R>, row_stride<4, R>, row_stride<5, R>};
    return sizeof(R) * strides[order];
}

template <class I, class R>
void describe_cells(const Scene& scene, std::size_t strength, std::size_t begin, std::size_t end, void* table) {
    R* rows = static_cast<R*>(table);
    switch (scene.order_of_expansion) {
        case 1:
            return make_superparticles<I>(scene, begin, end, rows);
        case 2:
            return CellMultipoles<2, R>(scene, strength, rows).compute(begin, end);
        case 3:
            return CellMultipoles<3, R>(scene, strength, rows).compute(begin, end);
        case 4:
            return CellMultipoles<4, R>(scene, strength, rows).compute(begin, end);
        default:
            return CellMultipoles<5, R>(scene, strength, rows).compute(begin, end);
    }
}

template <class R>
std::size_t moment_bytes(int order) {
    return order == 1 ? 0 : sizeof(R) * static_cast<std::size_t>(terms(order));
}

template <class R>
void join_moments(int order, const Sphere& parent, const std::array<Sphere, 2>& children,
                  const std::array<const std::byte*, 2>& moments, std::byte* joined) {
    switch (order) {
        case 2:
            return join_multipoles<2, R>(parent, children, moments, joined);
        case 3:
            return join_multipoles<3, R>(parent, children, moments, joined);
        case 4:
            return join_multipoles<4, R>(parent, children, moments, joined);
        default:
            return join_multipoles<5, R>(parent, children, moments, joined);
    }
}

template <class I, class R>
ForceKernels kernels_in() {
    return {row_bytes<I, R>, sizeof(R),      stage_leaves<I, R>, describe_cells<I, R>, moment_bytes<R>,
            join_moments<R>, evaluate<I, R>, row_pairs<I, R>,    write_back<I, R>};
}

// The table for an interaction of your own: tree_force.hpp calls it.
template <Interaction I>
InteractionKernels make_kernels() {
    using Union = UnionOfFields<typename I::Source, typename I::Target>;
    return {typeid(I).name(),       sizeof(I),
            Union::infos(),         InfosOf<typename I::Result>::all(),
            I::Source::components,  Union::template component_in_source<typename StrengthOf<I>::type>(),
            !has_dipole<I>,         Expandable<I>,
            kernels_in<I, float>(), kernels_in<I, double>(),
            reference_sum<I>};
}

TRELLIS_ISA_END
}  // namespace trellis
