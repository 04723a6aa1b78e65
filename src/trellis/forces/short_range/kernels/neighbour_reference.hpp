// Direct summation over all pairs and images within the search radius: the oracle of short-range forces.
#pragma once

#include <cmath>

#include "trellis/forces/reference.hpp"
#include "trellis/forces/short_range/kernels/kind_table.hpp"
#include "trellis/forces/short_range/kernels/outcome.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Calls visit(shift) for each vector of whole periods that moves a particle at d to within a radius, and perhaps for a
// few more.
template <class Visit>
void each_image(const Region& region, const Vec3<double>& d, double reach, Visit&& visit) {
    int low[3], high[3];
    Vec3<double> period{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis] = high[axis] = 0;
        if (!region.periodic(axis)) continue;
        period[axis] = region.high[axis] - region.low[axis];
        low[axis] = static_cast<int>(std::floor((-reach - d[axis]) / period[axis]));
        high[axis] = static_cast<int>(std::ceil((reach - d[axis]) / period[axis]));
    }
    for (int x = low[0]; x <= high[0]; ++x)
        for (int y = low[1]; y <= high[1]; ++y)
            for (int z = low[2]; z <= high[2]; ++z) visit(Vec3<double>{x * period.x, y * period.y, z * period.z});
}

template <ShortRange I, class Target, class Source>
auto exact_parameters_of_pair(const I& interaction, const Target& i, const Source& j) {
    if constexpr (ByKinds<I>)
        return parameters_of_pair<I>(interaction.kinds.exact, interaction.kinds.count, i, j);
    else
        return NoKinds{};
}

// See NeighbourKernels::reference.
template <ShortRange I>
void neighbour_reference(const void* interaction_data, const ParticleSet& source_set, const ParticleSet& target_set,
                         std::uint32_t row, std::int64_t self, std::span<const double> factors, double* result) {
    using fields::position;
    const I& interaction = *static_cast<const I*>(interaction_data);
    const auto target = RowReader<typename I::Target>(target_set)(row);
    const RowReader<typename I::Source> sources(source_set);
    double totals[OutcomeOf<I>::components];
    outcome_of_no_pair<I, double>().each_component([&](Gated<double>& none, std::size_t c) { totals[c] = none.total; });
    for (std::size_t j = 0; j < source_set.size(); ++j) {
        const double factor = factors.empty() ? 1 : factors[j];
        if (factor == 0) continue;
        auto source = sources(j);
        const auto of_kinds = exact_parameters_of_pair(interaction, target, source);
        const double reach2 = reach_squared<double>(interaction, target, source, of_kinds);
        const Vec3<double> at = source[position];
        each_image(source_set.region(), at - target[position], std::sqrt(reach2), [&](const Vec3<double>& shift) {
            if (static_cast<std::int64_t>(j) == self && shift == Vec3<double>{0, 0, 0}) return;
            source[position] = at + shift;
            const Vec3<double> d = source[position] - target[position];
            const bool counts = dot(d, d) < reach2;
            auto pair = outcome_of_no_pair<I, double>();
            pair.each_component([&](Gated<double>& value, std::size_t) { value.counts = counts; });
            add_pair(interaction, target, source, of_kinds, pair);
            pair.each_component([&](Gated<double>& value, std::size_t c) {
                totals[c] = outcome_order<I>.joined(c, totals[c], outcome_order<I>.scaled(c, value.total, factor));
            });
        });
    }
    auto outcome = finished_outcome(interaction, [&](std::size_t c) { return totals[c]; }, [&] { return target; });
    outcome.each_component([&](double& value, std::size_t c) { result[c] = value; });
}

TRELLIS_ISA_END
}  // namespace trellis
