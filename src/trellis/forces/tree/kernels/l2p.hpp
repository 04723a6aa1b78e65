// Local to particle (L2P): a local expansion at the i-particles of a group. For kernel sources only.
#pragma once

#include "trellis/forces/tree/kernels/expansion.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <int Order, int K, class V>
[[gnu::always_inline]] inline void add_term(const V& power, const V* local, FieldValue<V>& value) {
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
[[gnu::always_inline]] inline FieldValue<V> evaluate_local(const Terms<V, Order>& local, const Vec3<V>& y) {
    const auto power = powers<Order>(y);
    const V zero = MathOf<V>::constant(0);
    FieldValue<V> value{zero, {zero, zero, zero}};
    [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
        (add_term<Order, K>(power[K], local.data(), value), ...);
    }(Numbers<terms(Order)>{});
    return value;
}

// Potential and gradient at count positions, read and written component by component; arrays are padded to cache
// lines.
template <int Order, class R>
void field_of_local(const R* terms_of_local, R per_unit, const std::array<const R*, 3>& positions, std::size_t count,
                    const std::array<R*, 4>& field) {
    using V = Vector<R>;
    Terms<V, Order> local;
    for (std::size_t k = 0; k < local.size(); ++k) local[k] = all_lanes(terms_of_local[k]);
    const auto place = [&](std::size_t axis, std::size_t i) { return load(positions[axis] + i); };
    for (std::size_t i = 0; i < count; i += lanes<R>) {
        const Vec3<V> y{place(0, i), place(1, i), place(2, i)};
        const FieldValue<V> value = evaluate_local<Order, V>(local, {y.x * per_unit, y.y * per_unit, y.z * per_unit});
        store<R>(value.phi, field[0] + i);
        store<R>(value.gradient.x * per_unit, field[1] + i);
        store<R>(value.gradient.y * per_unit, field[2] + i);
        store<R>(value.gradient.z * per_unit, field[3] + i);
    }
}

TRELLIS_ISA_END
}  // namespace trellis
