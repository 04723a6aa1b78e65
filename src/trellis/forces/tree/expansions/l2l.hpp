// Local to local (L2L): a local expansion about the centre of a smaller cell. For kernel sources and for GPUs.
#pragma once

#include "trellis/forces/tree/expansions/expansion.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <int Order, int K, class V, int... J>
TRELLIS_INLINE V shifted_term(const V* local, const V* moved, std::integer_sequence<int, J...>) {
    constexpr Power p = power_of(K);
    V sum = MathOf<V>::constant(0);
    ((sum += moved[J] * local[term_of(p + power_of(J))]), ...);
    return sum;
}

// Moves a local expansion to a smaller cell. offset: new centre - old, in the old units; ratio: new unit / old unit.
template <int Order, class V>
TRELLIS_INLINE Terms<V, Order> shift_local(const V* local, const Vec3<V>& offset, const V& ratio) {
    const auto scale = powers_of<Order>(ratio);
    const auto moved = powers<Order>(offset);
    Terms<V, Order> result;
    [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
        ((result[K] = scale[power_of(K).order()] *
                      shifted_term<Order, K>(local, moved.data(), Numbers<terms(Order - power_of(K).order())>{})),
         ...);
    }(Numbers<terms(Order)>{});
    return result;
}

// Adds the parent's local expansion, moved, to that of a target.
template <int Order, class R>
void add_parents_local(const R* parent, const Vec3<R>& offset, R ratio, R* local) {
    const Terms<R, Order> moved = shift_local<Order, R>(parent, offset, ratio);
    for (std::size_t k = 0; k < moved.size(); ++k) local[k] += moved[k];
}

TRELLIS_ISA_END
}  // namespace trellis
