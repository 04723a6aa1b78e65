// Writes the outcome of i-particles to the particles' columns. For kernel sources only.
#pragma once

#include "trellis/forces/components.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"
#include "trellis/forces/short_range/kernels/outcome.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Finishes the outcome of the i-particle at a slot and, if it is wanted, writes it to its row. total(c): component c
// after all pairs.
template <ShortRange I, class Total>
void write_outcome(const I& interaction, const NeighbourScene& scene, std::uint32_t slot, const Total& total) {
    if (!scene.wants(slot)) return;
    auto outcome = finished_outcome(interaction, total, [&] {
        Record<typename I::Target, double> target;
        target.each_component(
            [&](double& value, std::size_t c) { value = scene.columns[TargetComponents<I>::value[c]][slot]; });
        return target;
    });
    outcome.each_component([&](double& value, std::size_t c) {
        const ResultComponent& to = scene.outcome[c];
        double& out = to.values[scene.order[slot] * to.stride];
        out = scene.add && c < I::Result::components ? out + value : value;
    });
}

TRELLIS_ISA_END
}  // namespace trellis
