// What becomes of the sums of an i-particle, wherever they were summed. For kernel sources only.
#pragma once

#include <cmath>

#include "trellis/forces/components.hpp"
#include "trellis/forces/neighbour_kernels.hpp"
#include "trellis/forces/short_range.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Finishes the outcome of the i-particle at a slot and writes it to its row. met(c): component c after all pairs; infinite for an extreme of nobody.
template <ShortRange I, class Met>
void write_outcome(const I& interaction, const NeighbourScene& scene, std::uint32_t slot, const Met& met) {
    constexpr std::size_t summed = I::Result::components;
    Record<OutcomeOf<I>, double> outcome;
    outcome.each_component([&](double& value, std::size_t c) {
        const double sum = met(c);
        value = c >= summed && std::isinf(sum) ? 0.0 : sum;
    });
    if constexpr (requires(Record<typename I::Target, double> i) { interaction.finish(i, outcome); }) {
        Record<typename I::Target, double> target;
        target.each_component(
            [&](double& value, std::size_t c) { value = scene.columns[TargetComponents<I>::value[c]][slot]; });
        interaction.finish(target, outcome);
    }
    outcome.each_component([&](double& value, std::size_t c) {
        const ResultComponent& to = scene.outcome[c];
        double& out = to.values[scene.order[slot] * to.stride];
        out = scene.add && c < summed ? out + value : value;
    });
}

TRELLIS_ISA_END
}  // namespace trellis
