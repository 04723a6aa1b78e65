// Far cells of a target or a group, a batch of them at a time: M2L and M2P. For kernel sources only.
#pragma once

#include <algorithm>

#include "trellis/forces/tree/expansions/m2l.hpp"
#include "trellis/forces/tree/expansions/m2p.hpp"
#include "trellis/forces/tree/kernels/cell_rows.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Adds far cells to the local expansion of a target with this centre and unit. widening: see add_local.
template <int Order, Expandable I, class R>
void add_local_of_cells(const I& interaction, const SplitPosition<R>& centre, R unit, R widening,
                        std::span<const std::uint32_t> far, const R* rows, R* local) {
    constexpr std::size_t width = lanes<R>;
    Terms<Vector<R>, Order> sums;
    for (auto& sum : sums) sum = Vector<R>{};
    for (std::size_t next = 0; next < far.size(); next += width) {
        const std::size_t count = std::min(far.size() - next, width);
        for (std::size_t ahead = next + count; ahead < std::min(far.size(), next + 2 * width); ++ahead)
            prefetch(rows + far[ahead] * row_stride<Order, R>, row_stride<Order, R>);
        const CellBatch<Order, R> cells(far.data() + next, count, rows);
        add_local<Order>(interaction, cells, centre, unit, widening, sums);
    }
    for (std::size_t k = 0; k < sums.size(); ++k) local[k] += sum_of_lanes<R>(sums[k]);
}

// Adds the field of cells at count positions about a centre, given component by component, to sums, whose lanes are to
// be added up. softenings: one for each position; null: the interaction has no softening.
template <int Order, Expandable I, class R>
void add_field_of_cells(const I& interaction, const SplitPosition<R>& centre, std::span<const std::uint32_t> cells,
                        const R* rows, const std::array<const R*, 3>& positions, const R* softenings, std::size_t count,
                        FieldValue<Vector<R>>* sums) {
    using V = Vector<R>;
    constexpr std::size_t width = lanes<R>;
    for (std::size_t next = 0; next < cells.size(); next += width) {
        const CellBatch<Order, R> batch(cells.data() + next, std::min(cells.size() - next, width), rows);
        const Vec3<V> from_centres = batch.from_centres(centre);
        const V unit = batch.unit();
        const auto moment = batch.moments(all_lanes(R(1)));
        for (std::size_t i = 0; i < count; ++i) {
            const Vec3<V> place{all_lanes(positions[0][i]), all_lanes(positions[1][i]), all_lanes(positions[2][i])};
            V widening{};
            if constexpr (Softened<I>) widening = batch.widening() + widening_of(softenings[i]);
            const auto value = field_of_cells<Order>(interaction, from_centres + place, widening, unit, moment);
            sums[i].phi += value.phi;
            sums[i].gradient += value.gradient;
        }
    }
}

TRELLIS_ISA_END
}  // namespace trellis
