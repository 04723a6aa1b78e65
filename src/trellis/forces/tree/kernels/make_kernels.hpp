// Compiles an interaction for the instruction set of the including source, into the table that a TreeForce works with.
#pragma once

#include <array>
#include <type_traits>
#include <typeinfo>

#include "trellis/forces/components.hpp"
#include "trellis/forces/reference.hpp"
#include "trellis/forces/tree/kernels/branch_force.hpp"
#include "trellis/forces/tree/kernels/row_far_field.hpp"
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
                return OrderKernels{steps.row_bytes,
                                    steps.expansion_bytes,
                                    steps.describe_cells,
                                    steps.join_moments,
                                    evaluate_branch<I, R, constant>,
                                    row_locals<constant, I, R>,
                                    row_far_field<constant, I, R>,
                                    row_locals_uses<constant, R>,
                                    row_far_field_uses<constant, I, R>};
            });
    return {sizeof(R) * superparticle_stride<R>(I::Source::components), 0, make_superparticles<R>, nullptr,
            evaluate_branch<I, R, 1>};
}

template <class I, class R>
ForceKernels kernels_in() {
    return {sizeof(R),       stage_leaves<R>,      kernels_at_order<I, R>,
            row_pairs<I, R>, row_pairs_uses<I, R>, write_back<I, R>};
}

template <class I>
std::optional<std::size_t> softening_component() {
    if constexpr (Softened<I>) return softening_in<typename I::Source, I>;
    return std::nullopt;
}

template <class Result>
inline constexpr bool accelerates = false;
template <class... F>
inline constexpr bool accelerates<Fields<F...>> = (std::is_same_v<Acceleration, F> || ...);

template <class I>
concept HasField = Expandable<I> && accelerates<typename I::Result> && !Softened<I>;

// See InteractionKernels::field_of_source and results_of_field.
template <class I>
std::array<double, 2> field_of_source(const void* interaction, double r2) {
    const auto g = static_cast<const I*>(interaction)->template radial<3>(r2, 1.0);
    return {g[0], g[1]};
}

template <class I>
void results_of_field(const void* interaction, const ParticleSet& particles, std::size_t first,
                      std::span<const double> phi, std::span<const Vec3<double>> gradients, double* values) {
    const RowReader<typename I::Target> targets(particles);
    const I& formula = *static_cast<const I*>(interaction);
    for (std::size_t k = 0; k < phi.size(); ++k) {
        Record<typename I::Result, double> sum;
        sum.each_component([](double& value, std::size_t) { value = 0; });
        formula.far_field(targets(first + k), phi[k], gradients[k], sum);
        if constexpr (requires { formula.finish(sum); }) formula.finish(sum);
        sum.each_component([&](double& value, std::size_t) { *values++ = value; });
    }
}

// The table of an interaction; called by tree_force (compile.hpp).
template <Interaction I>
InteractionKernels make_kernels() {
    using Union = UnionOfFields<typename I::Source, typename I::Target>;
    InteractionKernels kernels{typeid(I).name(),
                               sizeof(I),
                               [](const void* interaction) { return interaction; },
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
    if constexpr (HasField<I>) {
        kernels.field_of_source = field_of_source<I>;
        kernels.results_of_field = results_of_field<I>;
        kernels.shows_coupling = !requires(const I& interaction) { interaction.coupling(); };
    }
    return kernels;
}

TRELLIS_ISA_END
}  // namespace trellis
