// Multipole to multipole (M2M): a child's moments about its parent's centre. For kernel sources and for GPUs.
#pragma once

#include <array>

#include "trellis/forces/tree/expansions/expansion.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The terms whose powers are no higher than those of term M on any axis.
template <int M>
constexpr auto terms_within() {
    constexpr Power p = power_of(M);
    std::array<int, (p.x + 1) * (p.y + 1) * (p.z + 1)> within{};
    std::size_t count = 0;
    for (int k = 0; k <= M; ++k)
        if (power_of(k).within(p)) within[count++] = k;
    return within;
}

template <int M, int K, class V>
TRELLIS_INLINE V shifted_moment(const V* child, const V* scale, const V* moved) {
    return (scale[power_of(K).order()] * child[K]) * moved[term_of(power_of(M) - power_of(K))];
}

template <int M, class V>
TRELLIS_INLINE V with_child(V sum, const V* child, const V* scale, const V* moved) {
    constexpr auto within = terms_within<M>();
    [&]<int... J>(std::integer_sequence<int, J...>) __attribute__((always_inline)) {
        ((sum += shifted_moment<M, std::get<J>(within)>(child, scale, moved)), ...);
    }(Numbers<static_cast<int>(within.size())>{});
    return sum;
}

// Moves a multipole expansion: adds the child's, about the parent's centre, to parent. offset: child centre - parent
// centre, in the parent's units; ratio: child unit / parent unit.
template <int Order, class V>
TRELLIS_INLINE void shift_multipole(const V* child, const Vec3<V>& offset, const V& ratio, V* parent) {
    const auto scale = powers_of<Order>(ratio);
    const auto moved = powers<Order>(offset);
    [&]<int... M>(std::integer_sequence<int, M...>) __attribute__((always_inline)) {
        ((parent[M] = with_child<M>(parent[M], child, scale.data(), moved.data())), ...);
    }(Numbers<terms(Order)>{});
}

TRELLIS_ISA_END
}  // namespace trellis
