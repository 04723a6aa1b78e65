// The outcome of an i-particle before its first pair and after its last: the same for all kernels.
#pragma once

#include <algorithm>
#include <cstddef>
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

// The components of an outcome: those below `summed` are sums, then those below `raised` maxima, the others minima.
struct OutcomeOrder {
    std::size_t summed, raised;

    // Component c of two outcomes together.
    template <class V>
    TRELLIS_INLINE V joined(std::size_t c, const V& a, const V& b) const {
        using std::max;
        using std::min;
        return c < summed ? V(a + b) : c < raised ? max(a, b) : min(a, b);
    }
    // Component c of pairs that count by a factor above 0: extremes are not scaled.
    template <class V>
    TRELLIS_INLINE V scaled(std::size_t c, const V& value, const V& factor) const {
        return c < summed ? V(factor * value) : value;
    }
};

template <ShortRange I>
inline constexpr OutcomeOrder outcome_order{I::Result::components,
                                            I::Result::components + MaximumOf<I>::type::components};

// The outcome after all pairs. total(c): its component c before it is finished; an extreme of no pair becomes 0.
// target_of(): the i-particle, called if the interaction has a finish.
template <ShortRange I, class Total, class TargetOf>
TRELLIS_HOST_DEVICE Record<OutcomeOf<I>, double> finished_outcome(const I& interaction, const Total& total,
                                                                  const TargetOf& target_of) {
    constexpr double huge = std::numeric_limits<double>::infinity();
    Record<OutcomeOf<I>, double> outcome;
    outcome.each_component([&](double& value, std::size_t c) {
        const double all = total(c);
        value = c >= I::Result::components && (all == huge || all == -huge) ? 0.0 : all;
    });
    if constexpr (requires(Record<typename I::Target, double> i) { interaction.finish(i, outcome); })
        interaction.finish(target_of(), outcome);
    return outcome;
}

TRELLIS_ISA_END
}  // namespace trellis
