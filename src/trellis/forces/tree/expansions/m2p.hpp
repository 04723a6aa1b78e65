// Multipole to particle (M2P): the field of superparticles with moments at i-particles. For kernel sources and for
// GPUs.
#pragma once

#include "trellis/forces/tree/expansions/cell_layout.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <bool Dipole, int M, class V>
TRELLIS_INLINE void add_moment(const V& moment, const V* field, FieldValue<V>& value) {
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
TRELLIS_INLINE FieldValue<V> field_of_cells(const I& interaction, const Vec3<V>& d, const V& widening, const V& unit,
                                            const Terms<V, Order>& moment) {
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

TRELLIS_ISA_END
}  // namespace trellis
