// Compiles an interaction for the instruction set of the including source, into the table that a TreeForce works with.
#pragma once

#include <cmath>
#include <type_traits>
#include <typeinfo>

#include "trellis/forces/components.hpp"
#include "trellis/forces/reference.hpp"
#include "trellis/forces/tree/kernels/branch_force.hpp"
#include "trellis/forces/tree/kernels/row_far_field.hpp"
#include "trellis/forces/tree/kernels/row_pairs.hpp"
#include "trellis/lists/walk/opening.hpp"

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
concept ShowsCoupling = Expandable<I> && accelerates<typename I::Result> && !requires(const I& i) { i.coupling(); };

// The field of a source of strength 1 at a distance, times the square of the distance: 1 if phi = 1 / r.
template <class I>
double field_of_source(const void* interaction, double distance) {
    const auto g = static_cast<const I*>(interaction)->template radial<3>(distance * distance, 1.0);
    return std::abs(g[1]) * distance * distance * distance;
}

// Turns errors of the acceleration of the rows [begin, end) into errors of the field. A particle that no field
// accelerates can bear any.
template <class I>
void errors_of_field(const void* interaction, const ParticleSet& particles, std::size_t begin, std::size_t end,
                     std::span<double> errors) {
    const RowReader<typename I::Target> targets(particles);
    for (std::size_t row = begin; row < end; ++row) {
        Record<typename I::Result, double> sum;
        sum.each_component([](double& value, std::size_t) { value = 0; });
        const I& formula = *static_cast<const I*>(interaction);
        formula.far_field(targets(row), 0.0, Vec3<double>{1, 0, 0}, sum);
        if constexpr (requires { formula.finish(sum); }) formula.finish(sum);
        const Vec3<double> response = sum[Acceleration()];
        const double squared = dot(response, response);
        errors[row] = squared > 0 ? errors[row] / std::sqrt(squared) : any_error;
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
    if constexpr (ShowsCoupling<I>) {
        kernels.field_of_source = field_of_source<I>;
        kernels.errors_of_field = errors_of_field<I>;
    }
    return kernels;
}

TRELLIS_ISA_END
}  // namespace trellis
