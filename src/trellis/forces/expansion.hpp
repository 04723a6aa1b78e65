// Cartesian multipole and local expansions of a central potential, to any order. For kernel sources only.
//
// About a cell's centre c, in units of its radius u:   M_m = sum_j s_j ((x_j - c) / u)^m / m!
// About a target's centre t, in units of its radius u: phi(t + u y) = sum_k L_k y^k / k!
// m and k are multi-indices (powers of x, y, z), of total order up to the order of the expansion, in the sequence
// 1; x y z; xx xy xz yy yz zz; ... The units keep every number near the range of the potential itself, so single precision
// neither overflows nor underflows, however small the cell.
#pragma once

#include <array>
#include <utility>

#include "trellis/base/simd.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Number of multi-indices up to an order.
constexpr int terms(int order) { return (order + 1) * (order + 2) * (order + 3) / 6; }

struct Power {
    int x, y, z;
    constexpr int order() const { return x + y + z; }
    constexpr Power operator+(const Power& o) const { return {x + o.x, y + o.y, z + o.z}; }
    constexpr Power operator-(const Power& o) const { return {x - o.x, y - o.y, z - o.z}; }
    constexpr bool within(const Power& o) const { return x <= o.x && y <= o.y && z <= o.z; }
};

// Place of a multi-index in the sequence.
constexpr int term_of(const Power& p) {
    const int rest = p.y + p.z;
    return terms(p.order() - 1) + rest * (rest + 1) / 2 + p.z;
}

constexpr Power power_of(int term) {
    int order = 0;
    while (terms(order) <= term) ++order;
    int place = term - terms(order - 1), rest = 0;
    while ((rest + 1) * (rest + 2) / 2 <= place) ++rest;
    place -= rest * (rest + 1) / 2;
    return {order - rest, rest - place, place};
}

// One step down from p: the first axis with a power.
constexpr Power first_axis(const Power& p) {
    return p.x > 0 ? Power{1, 0, 0} : p.y > 0 ? Power{0, 1, 0} : Power{0, 0, 1};
}
constexpr int along(const Power& p, const Power& axis) { return axis.x ? p.x : axis.y ? p.y : p.z; }

template <class V>
[[gnu::always_inline]] inline const V& along(const Vec3<V>& v, const Power& axis) {
    return axis.x ? v.x : axis.y ? v.y : v.z;
}

// A cell in a table: its moments, its centre relative to the root's corner as a rounded value and the rest, and its unit of length.
template <int Order>
struct RowLayout {
    static constexpr std::size_t centre = static_cast<std::size_t>(terms(Order));
    static constexpr std::size_t rest = centre + 3;
    static constexpr std::size_t unit = rest + 3;
    static constexpr std::size_t used = unit + 1;
};

// Values between one row and the next: whole batches, so that rows can be loaded as batches.
template <int Order, class R>
inline constexpr std::size_t row_stride = (RowLayout<Order>::used + lanes<R> - 1) / lanes<R> * lanes<R>;

template <class V, int Order>
using Terms = std::array<V, terms(Order)>;

// y^k / k! for all k.
template <int Order, class V>
[[gnu::always_inline]] inline Terms<V, Order> powers(const Vec3<V>& y) {
    Terms<V, Order> result;
    result[0] = V(1);
    unroll<terms(Order) - 1>([&](auto k) __attribute__((always_inline)) {
        constexpr Power p = power_of(k + 1), axis = first_axis(p);
        result[k + 1] = result[term_of(p - axis)] * along(y, axis) * MathOf<V>::constant(1.0 / along(p, axis));
    });
    return result;
}

// All derivatives D_k of f at d from its radial derivatives g_n: D_k^(n) with D_0^(n) = g_n and
// D_(k+e)^(n) = d_e D_k^(n+1) + k_e D_(k-e)^(n+1) (McMurchie & Davidson 1978).
template <int Order, class V>
[[gnu::always_inline]] inline Terms<V, Order> derivatives(const Vec3<V>& d, const std::array<V, Order + 1>& g) {
    Terms<V, Order> above;
    above[0] = g[Order];
    unroll<Order>([&](auto step) __attribute__((always_inline)) {
        constexpr int reach = step + 1;  // this pass knows orders up to reach
        Terms<V, Order> now;
        now[0] = g[Order - reach];
        unroll<terms(reach) - 1>([&](auto k) __attribute__((always_inline)) {
            constexpr Power p = power_of(k + 1), axis = first_axis(p), down = p - axis;
            V value = along(d, axis) * above[term_of(down)];
            if constexpr (along(down, axis) == 1) value += above[term_of(down - axis)];
            if constexpr (along(down, axis) > 1)
                value += V(static_cast<float>(along(down, axis))) * above[term_of(down - axis)];
            now[k + 1] = value;
        });
        above = now;
    });
    return above;
}

// powers[n] = x^n
template <int Order, class V>
[[gnu::always_inline]] inline std::array<V, Order + 1> powers_of(const V& x) {
    std::array<V, Order + 1> result;
    result[0] = V(1);
    unroll<Order>([&](auto n) __attribute__((always_inline)) { result[n + 1] = result[n] * x; });
    return result;
}

// Moves a multipole expansion: adds to parent what the child's is about the parent's centre.
// offset: child centre - parent centre, in the parent's units; ratio: child unit / parent unit.
template <int Order, class V>
[[gnu::always_inline]] inline void shift_multipole(const V* child, const Vec3<V>& offset, const V& ratio, V* parent) {
    const auto scale = powers_of<Order>(ratio);
    const auto moved = powers<Order>(offset);
    unroll<terms(Order)>([&](auto m) __attribute__((always_inline)) {
        constexpr Power p = power_of(m);
        V sum = parent[m];
        unroll<m + 1>([&](auto k) __attribute__((always_inline)) {
            constexpr Power q = power_of(k);
            if constexpr (q.within(p)) sum += (scale[q.order()] * child[k]) * moved[term_of(p - q)];
        });
        parent[m] = sum;
    });
}

// Moves a local expansion to a smaller cell. offset: new centre - old, in the old units; ratio: new unit / old unit.
template <int Order, class V>
[[gnu::always_inline]] inline Terms<V, Order> shift_local(const Terms<V, Order>& local, const Vec3<V>& offset,
                                                          const V& ratio) {
    const auto scale = powers_of<Order>(ratio);
    const auto moved = powers<Order>(offset);
    Terms<V, Order> result;
    unroll<terms(Order)>([&](auto k) __attribute__((always_inline)) {
        constexpr Power p = power_of(k);
        V sum = V(0);
        unroll<terms(Order - p.order())>(
            [&](auto j) __attribute__((always_inline)) { sum += moved[j] * local[term_of(p + power_of(j))]; });
        result[k] = scale[p.order()] * sum;
    });
    return result;
}

// A potential and its gradient.
template <class V>
struct FieldValue {
    V phi;
    Vec3<V> gradient;
};

// The local expansion at y, in its units; the gradient is per unit.
template <int Order, class V>
[[gnu::always_inline]] inline FieldValue<V> evaluate_local(const Terms<V, Order>& local, const Vec3<V>& y) {
    const auto power = powers<Order>(y);
    FieldValue<V> value{V(0), {V(0), V(0), V(0)}};
    unroll<terms(Order)>([&](auto k) __attribute__((always_inline)) {
        constexpr Power p = power_of(k);
        value.phi += power[k] * local[k];
        if constexpr (p.order() < Order) {
            value.gradient.x += power[k] * local[term_of(p + Power{1, 0, 0})];
            value.gradient.y += power[k] * local[term_of(p + Power{0, 1, 0})];
            value.gradient.z += power[k] * local[term_of(p + Power{0, 0, 1})];
        }
    });
    return value;
}

TRELLIS_ISA_END
}  // namespace trellis
