// Multipole to particle (M2P): the field of superparticles with moments at i-particles. For kernel sources only.
#pragma once

#include <algorithm>

#include "trellis/forces/tree/kernels/cell_rows.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <bool Dipole, int M, class V>
[[gnu::always_inline]] inline void add_moment(const V& moment, const V* field, FieldValue<V>& value) {
    constexpr Power p = power_of(M);
    if constexpr (p.order() != 1 || Dipole) {
        value.phi += moment * field[M];
        value.gradient.x += moment * field[term_of(p + Power{1, 0, 0})];
        value.gradient.y += moment * field[term_of(p + Power{0, 1, 0})];
        value.gradient.z += moment * field[term_of(p + Power{0, 0, 1})];
    }
}

// Potential and gradient of cells at an i-particle, each lane for its own cell. d: i-particle - centre of the cell;
// widening: by both softenings, if the interaction has one.
template <int Order, Expandable I, class V>
[[gnu::always_inline]] inline FieldValue<V> field_of_cells(const I& interaction, const Vec3<V>& d, const V& widening,
                                                           const V& unit, const Terms<V, Order>& moment) {
    const V zero = MathOf<V>::constant(0), per_unit = MathOf<V>::constant(1) / unit;
    V softened2 = dot(d, d);
    if constexpr (Softened<I>) softened2 += widening;
    const auto g = radial_derivatives<Order + 2>(interaction, softened2, V(unit * unit));
    const auto field = derivatives<Order + 1, V>(d * per_unit, g);
    FieldValue<V> value{zero, {zero, zero, zero}};
    [&]<int... M>(std::integer_sequence<int, M...>) __attribute__((always_inline)) {
        (add_moment<has_dipole<I>, M>(moment[M], field.data(), value), ...);
    }(Numbers<terms(Order)>{});
    value.gradient = value.gradient * per_unit;
    return value;
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
