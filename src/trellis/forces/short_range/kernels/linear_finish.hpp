// If parts of the sums of an interaction can be finished apart: is its finish linear?
#pragma once

#include <cmath>
#include <cstddef>

#include "trellis/forces/short_range.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The largest difference between a whole that is finished and its finished parts, over their size, by rounding.
inline constexpr double linear_to = 1e-9;

// Values of both signs below 1, each of another size: as an index of a table they are 0.
inline double trial_value(std::size_t trial, std::size_t component) {
    const double share = std::fmod(0.618034 * static_cast<double>(7 * trial + component + 1), 1.0);  // golden ratio
    return 0.1 + 0.8 * share;
}

template <class Values>
Values trial_values(std::size_t trial, std::size_t first, double scale, bool signs) {
    Values values;
    values.each_component([&](double& value, std::size_t c) {
        const bool negative = signs && (c + trial) % 2 == 1;
        value = (negative ? -scale : scale) * trial_value(trial, first + c);
    });
    return values;
}

// True if finish(a) + finish(b) = finish(a + b) for sums a and b of sizes from 1e-6 to 1e6, and particles whose
// values are below 1. Trials without a finite number say nothing. A finish that is linear for such particles alone, and
// for no others, is taken as linear.
template <ShortRange I>
bool finishes_linearly(const void* interaction_data) {
    using Outcome = Record<OutcomeOf<I>, double>;
    if constexpr (requires(const I& interaction, Record<typename I::Target, double> i, Outcome sum) {
                      interaction.finish(i, sum);
                  }) {
        const I& interaction = *static_cast<const I*>(interaction_data);
        bool tried = false;
        for (std::size_t trial = 0; trial < 52; ++trial) {
            const bool signs_of_sums = trial % 2 == 1, signs_of_particle = trial % 4 >= 2;
            const int decade = static_cast<int>(trial / 4) - 6;
            const double scale = std::pow(10.0, decade);
            const auto i = trial_values<Record<typename I::Target, double>>(trial, 0, 1, signs_of_particle);
            Outcome a = trial_values<Outcome>(trial, 1, scale, signs_of_sums), whole = a;
            Outcome b = trial_values<Outcome>(trial, 2, scale, false);
            zip(whole, b, [](double& sum, double part) { sum += part; });
            interaction.finish(i, a);
            interaction.finish(i, b);
            interaction.finish(i, whole);
            zip(a, b, [](double& sum, double part) { sum += part; });
            bool linear = true, finite = true;
            zip(a, whole, [&](double of_parts, double of_whole) {
                finite = finite && std::isfinite(of_parts) && std::isfinite(of_whole);
                linear =
                    linear && std::abs(of_parts - of_whole) <= linear_to * (std::abs(of_parts) + std::abs(of_whole));
            });
            if (finite && !linear) return false;
            tried = tried || finite;
        }
        return tried;
    } else {
        return true;
    }
}

TRELLIS_ISA_END
}  // namespace trellis
