// A short-range interaction over all pairs, one by one, in double precision: its mathematical definition, without tree
// and lists.
#pragma once

#include <vector>

#include "trellis/forces/short_range/kernels/neighbour_reference.hpp"

namespace trellis {

// The outcome for each row.
template <ShortRange I>
auto all_pairs(const I& interaction, const ParticleSet& particles) {
    using Outcome = OutcomeOf<I>;
    std::vector<Record<Outcome, double>> outcomes(particles.size());
    for (std::uint32_t row = 0; row < particles.size(); ++row) {
        double values[Outcome::components];
        neighbour_reference<I>(&interaction, particles, particles, row, row, {}, values);
        outcomes[row].each_component([&](double& value, std::size_t c) { value = values[c]; });
    }
    return outcomes;
}

}  // namespace trellis
