// The outcome of an i-particle before its first pair and after its last: the same for all kernels.
#pragma once

#include <cmath>
#include <limits>

#include "trellis/forces/short_range.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// A sum begins with 0, a maximum with minus infinity, a minimum with infinity. The caller sets which pairs count.
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

// The outcome after all pairs. total(c): its component c before it is finished; an extreme of no pair becomes 0.
// target_of(): the i-particle, called if the interaction has a finish.
template <ShortRange I, class Total, class TargetOf>
Record<OutcomeOf<I>, double> finished_outcome(const I& interaction, const Total& total, const TargetOf& target_of) {
    Record<OutcomeOf<I>, double> outcome;
    outcome.each_component([&](double& value, std::size_t c) {
        const double all = total(c);
        value = c >= I::Result::components && std::isinf(all) ? 0.0 : all;
    });
    if constexpr (requires(Record<typename I::Target, double> i) { interaction.finish(i, outcome); })
        interaction.finish(target_of(), outcome);
    return outcome;
}

TRELLIS_ISA_END
}  // namespace trellis
