// Multipole to local (M2L): the local expansion of a target cell from its far cells. For kernel sources and for GPUs.
#pragma once

#include "trellis/forces/tree/expansions/cell_layout.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <bool Dipole, int K, class V, int... M>
TRELLIS_INLINE V local_term(const V* moment, const V* field, std::integer_sequence<int, M...>) {
    V sum = moment[0] * field[K];
    ((power_of(M + 1).order() != 1 || Dipole
          ? void(sum += moment[M + 1] * field[term_of(power_of(K) + power_of(M + 1))])
          : void()),
     ...);
    return sum;
}

template <class V>
TRELLIS_INLINE V lesser(const V& a, const V& b) {
    return a < b ? a : b;
}

// Adds to sums the local expansion of the moments of cells, a CellBatch or a CellRow, at the target's centre, in the
// target's units, each lane for its own cells. Derivatives are in units of the distance: they, and the powers of both
// cells' units over it, then stay within the range of single precision for cells of any sizes. A cell whose particles
// are at one place may have a unit above the distance: its powers are then 1. widening: by the target's softening, if
// the interaction has one.
template <int Order, Expandable I, class Cells, class R>
TRELLIS_INLINE void add_local(const I& interaction, const Cells& cells, const SplitPosition<R>& centre, R unit,
                              R widening, Terms<typename Cells::V, Order>& sums) {
    using V = typename Cells::V;
    const Vec3<V> d = cells.from_centres(centre);
    const V distance2 = dot(d, d), per_distance = rsqrt(distance2);
    const V one = MathOf<V>::constant(1), unit_over_distance = MathOf<V>::constant(unit) * per_distance;
    V softened2 = distance2;
    if constexpr (Softened<I>) softened2 += cells.widening() + widening;
    const auto g = radial_derivatives<Order + 1>(interaction, softened2, distance2);
    const auto field = derivatives<Order, V>(d * per_distance, g);
    const auto moment = cells.moments(lesser(V(cells.unit() * per_distance), one));
    auto scale = powers_of<Order>(lesser(unit_over_distance, one));
    scale[1] = unit_over_distance;  // a particle alone needs its gradient, whatever its unit
    [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
        ((sums[K] +=
          scale[power_of(K).order()] *
          local_term<has_dipole<I>, K>(moment.data(), field.data(), Numbers<terms(Order - power_of(K).order()) - 1>{})),
         ...);
    }(Numbers<terms(Order)>{});
}

TRELLIS_ISA_END
}  // namespace trellis
