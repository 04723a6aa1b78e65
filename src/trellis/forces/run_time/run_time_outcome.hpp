// The outcome of an i-particle of short range, written to its row.
#pragma once

#include <cmath>
#include <cstdint>

#include "trellis/forces/run_time/run_time_pair.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"

namespace trellis {

// Finishes the outcome of the i-particle at a slot and, if it is wanted, writes it. total(c): component c after all
// pairs.
template <class Total>
void write_run_time_outcome(const RunTimePair& pair, const NeighbourScene& scene, std::uint32_t slot,
                            const Total& total) {
    if (!scene.wants(slot)) return;
    double outcome[most_run_time_components], target[most_run_time_components];
    const std::size_t components = scene.outcome.size();
    for (std::size_t c = 0; c < components; ++c) {
        outcome[c] = total(c);
        if (c >= pair.summed && std::isinf(outcome[c])) outcome[c] = 0;  // an extreme of no pair
    }
    for (const std::size_t c : pair.finishing) target[c] = scene.columns[pair.target_components[c]][slot];
    pair.finish(pair.context(), target, outcome);
    for (std::size_t c = 0; c < components; ++c) {
        const ResultComponent& to = scene.outcome[c];
        double& out = to.values[scene.order[slot] * to.stride];
        out = scene.add && c < pair.summed ? out + outcome[c] : outcome[c];
    }
}

}  // namespace trellis
