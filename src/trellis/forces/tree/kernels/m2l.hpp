// Multipole to local (M2L): the local expansion of a target cell from its far cells. For kernel sources only.
#pragma once

#include <algorithm>

#include "trellis/forces/tree/kernels/cell_rows.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <bool Dipole, int K, class V, int... M>
[[gnu::always_inline]] inline V local_term(const V* moment, const V* field, std::integer_sequence<int, M...>) {
    V sum = moment[0] * field[K];
    ((power_of(M + 1).order() != 1 || Dipole
          ? void(sum += moment[M + 1] * field[term_of(power_of(K) + power_of(M + 1))])
          : void()),
     ...);
    return sum;
}

// Adds to sums the local expansion of the cells' moments at the target's centre, in the target's units, each lane for
// its own cells. Derivatives are in units of the distance: they, and the powers of both cells' units over it, then stay
// within the range of single precision for cells of any sizes. (A cell whose particles are at one place may have too
// large a unit.) widening: by the target's softening, if the interaction has one.
template <int Order, Expandable I, class R>
[[gnu::always_inline]] inline void add_local(const I& interaction, const CellBatch<Order, R>& cells,
                                             const SplitPosition<R>& centre, double unit, R widening,
                                             Terms<Vector<R>, Order>& sums) {
    using V = Vector<R>;
    const Vec3<V> d = cells.from_centres(centre);
    const V distance2 = dot(d, d), per_distance = rsqrt(distance2);
    const auto in_distances = [&](const V& length) {
        const V ratio = length * per_distance, one = all_lanes(R(1));
        return V(ratio < one ? ratio : one);
    };
    V softened2 = distance2;
    if constexpr (Softened<I>) softened2 += cells.widening() + widening;
    const auto g = radial_derivatives<Order + 1>(interaction, softened2, distance2);
    const auto field = derivatives<Order, V>(d * per_distance, g);
    const auto moment = cells.moments(in_distances(cells.unit()));
    const auto scale = powers_of<Order>(in_distances(all_lanes(static_cast<R>(unit))));
    [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
        ((sums[K] +=
          scale[power_of(K).order()] *
          local_term<has_dipole<I>, K>(moment.data(), field.data(), Numbers<terms(Order - power_of(K).order()) - 1>{})),
         ...);
    }(Numbers<terms(Order)>{});
}

// Adds the far cells of a target to its local expansion. image: the shift of their image.
template <int Order, Expandable I, class R>
void add_local_of_cells(const I& interaction, const Scene& scene, std::uint32_t target, const Vec3<double>& image,
                        std::span<const std::uint32_t> far, const R* rows, R* local) {
    constexpr std::size_t width = lanes<R>;
    const SplitPosition<R> centre(scene.spheres[target].centre - image - scene.corner);
    const double widening = Softened<I> ? widening_of(scene.cell_softenings[target]) : 0;
    Terms<Vector<R>, Order> sums;
    for (auto& sum : sums) sum = Vector<R>{};
    for (std::size_t next = 0; next < far.size(); next += width) {
        const std::size_t count = std::min(far.size() - next, width);
        for (std::size_t ahead = next + count; ahead < std::min(far.size(), next + 2 * width); ++ahead)
            prefetch(rows + far[ahead] * row_stride<Order, R>, row_stride<Order, R>);
        const CellBatch<Order, R> cells(far.data() + next, count, rows);
        add_local<Order, I, R>(interaction, cells, centre, scene.units[target], static_cast<R>(widening), sums);
    }
    for (std::size_t k = 0; k < sums.size(); ++k) local[k] += sum_of_lanes<R>(sums[k]);
}

TRELLIS_ISA_END
}  // namespace trellis
