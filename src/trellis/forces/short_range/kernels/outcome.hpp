// The outcome of an i-particle before its first pair and after its last: the same wherever pairs are met.
#pragma once

#include <cmath>
#include <limits>

#include "trellis/forces/short_range.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// A sum begins with 0, a maximum with minus infinity, a minimum with infinity. The pairs that count are to be set.
template <ShortRange I, class V>
TRELLIS_HOST_DEVICE __attribute__((always_inline)) inline Record<OutcomeOf<I>, Gated<V>> outcome_of_no_pair() {
    constexpr double huge = std::numeric_limits<double>::infinity();
    constexpr std::size_t summed = I::Result::components, raised = summed + MaximumOf<I>::type::components;
    Record<OutcomeOf<I>, Gated<V>> outcome{};
    outcome.each_component([&](Gated<V>& value, std::size_t c) {
        value.total = MathOf<V>::constant(c < summed ? 0.0 : c < raised ? -huge : huge);
    });
    return outcome;
}

// The outcome after all pairs. met(c): its component c before it is finished; an extreme of no pair becomes 0. The
// i-particle is read if the interaction finishes it.
template <ShortRange I, class Met, class TargetOf>
Record<OutcomeOf<I>, double> finished_outcome(const I& interaction, const Met& met, const TargetOf& target_of) {
    Record<OutcomeOf<I>, double> outcome;
    outcome.each_component([&](double& value, std::size_t c) {
        const double all = met(c);
        value = c >= I::Result::components && std::isinf(all) ? 0.0 : all;
    });
    if constexpr (requires(Record<typename I::Target, double> i) { interaction.finish(i, outcome); })
        interaction.finish(target_of(), outcome);
    return outcome;
}

TRELLIS_ISA_END
}  // namespace trellis
