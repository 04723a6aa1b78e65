// Local to particle (L2P): a local expansion at an i-particle. For kernel sources and for GPUs.
#pragma once

#include "trellis/forces/tree/expansions/expansion.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <int Order, int K, class V>
TRELLIS_INLINE void add_term(const V& power, const V* local, FieldValue<V>& value) {
    constexpr Power p = power_of(K);
    value.phi += power * local[K];
    if constexpr (p.order() < Order) {
        value.gradient.x += power * local[term_of(p + Power{1, 0, 0})];
        value.gradient.y += power * local[term_of(p + Power{0, 1, 0})];
        value.gradient.z += power * local[term_of(p + Power{0, 0, 1})];
    }
}

// The local expansion at y, in its units; the gradient is per unit.
template <int Order, class V>
TRELLIS_INLINE FieldValue<V> evaluate_local(const Terms<V, Order>& local, const Vec3<V>& y) {
    const auto power = powers<Order>(y);
    const V zero = MathOf<V>::constant(0);
    FieldValue<V> value{zero, {zero, zero, zero}};
    [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
        (add_term<Order, K>(power[K], local.data(), value), ...);
    }(Numbers<terms(Order)>{});
    return value;
}

TRELLIS_ISA_END
}  // namespace trellis
