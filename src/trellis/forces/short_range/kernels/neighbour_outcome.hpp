// Writes the outcome of i-particles to the particles' columns. For kernel sources only.
#pragma once

#include "trellis/forces/components.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"
#include "trellis/forces/short_range/kernels/outcome.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Finishes the outcome of up to `most` i-particles, from slot `first` on, and writes that of those which are wanted to
// their rows. total(c, i): component c of i-particle i after all pairs.
template <std::size_t most, ShortRange I, class Total>
void write_outcome(const I& interaction, const NeighbourScene& scene, std::uint32_t first, std::uint32_t count,
                   const Total& total) {
    constexpr std::size_t components = OutcomeOf<I>::components;
    std::uint32_t rows[most];
    double values[components][most];
    std::size_t wanted = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t slot = first + i;
        if (!scene.wants(slot)) continue;
        const auto target_of = [&] {
            Record<typename I::Target, double> target;
            target.each_component(
                [&](double& value, std::size_t c) { value = scene.columns[TargetComponents<I>::value[c]][slot]; });
            return target;
        };
        auto outcome = finished_outcome(interaction, [&](std::size_t c) { return total(c, i); }, target_of);
        outcome.each_component([&](double& value, std::size_t c) { values[c][wanted] = value; });
        rows[wanted++] = scene.order[slot];
    }
    for (std::size_t c = 0; c < components; ++c) {
        const auto [to, stride] = scene.outcome[c];
        const bool add = scene.add && c < I::Result::components;
        for (std::size_t k = 0; k < wanted; ++k) {
            double& out = to[rows[k] * stride];
            out = add ? out + values[c][k] : values[c][k];
        }
    }
}

TRELLIS_ISA_END
}  // namespace trellis
