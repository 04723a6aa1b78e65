// Cartesian multipole and local expansions of a central potential, to any order. For kernel sources and for GPUs.
//
// About a cell's centre c, in units of its radius u:   M_m = sum_j s_j ((x_j - c) / u)^m / m! About a target's centre
// t, in units of its radius u: phi(t + u y) = sum_k L_k y^k / k! m and k are multi-indices of total order up to the
// order of the expansion. The units keep every number near the range of the potential itself, so that single precision
// neither overflows nor underflows for cells of any size.
//
// The values are numbers, or one number a lane in the compiler's own vector type (base/simd.hpp, Vector): an expansion
// of order 5 is thousands of operations, and no operation should be a function that the compiler has to inline. For the
// same reason long sums are fold expressions over the terms, and not loops or lambdas.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "trellis/base/math.hpp"
#include "trellis/base/unroll.hpp"
#include "trellis/base/vec.hpp"
#include "trellis/forces/interaction.hpp"
#include "trellis/forces/tree/expansions/multi_index.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class V, int Order>
using Terms = std::array<V, terms(Order)>;

// The numbers 0, 1, ..., Count - 1 as template parameters.
template <int Count>
using Numbers = std::make_integer_sequence<int, Count>;

// A potential and its gradient.
template <class V>
struct FieldValue {
    V phi;
    Vec3<V> gradient;
};

// Calls body with the order, 2 to highest_order, as a constant of the compiler, and returns its result.
template <class Body>
auto at_order(int order, Body&& body) {
    switch (order) {
        case 2:
            return body(std::integral_constant<int, 2>{});
        case 3:
            return body(std::integral_constant<int, 3>{});
        case 4:
            return body(std::integral_constant<int, 4>{});
        default:
            return body(std::integral_constant<int, highest_order>{});
    }
}

template <class V>
TRELLIS_INLINE const V& along(const Vec3<V>& v, const Power& axis) {
    return axis.x ? v.x : axis.y ? v.y : v.z;
}

// powers[n] = x^n
template <int Order, class V>
TRELLIS_INLINE std::array<V, Order + 1> powers_of(const V& x) {
    std::array<V, Order + 1> result;
    result[0] = MathOf<V>::constant(1);
    unroll<Order>([&](auto n) __attribute__((always_inline)) { result[n + 1] = result[n] * x; });
    return result;
}

template <int K, class V>
TRELLIS_INLINE V next_power(const Vec3<V>& y, const V* below) {
    constexpr Power p = power_of(K), axis = first_axis(p);
    return below[term_of(p - axis)] * along(y, axis) * MathOf<V>::constant(1.0 / along(p, axis));
}

// y^k / k! for all k.
template <int Order, class V>
TRELLIS_INLINE Terms<V, Order> powers(const Vec3<V>& y) {
    Terms<V, Order> result;
    V* all = result.data();
    all[0] = MathOf<V>::constant(1);
    [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
        ((all[K + 1] = next_power<K + 1>(y, all)), ...);
    }(Numbers<terms(Order) - 1>{});
    return result;
}

template <int K, class V>
TRELLIS_INLINE V next_derivative(const Vec3<V>& d, const V* above) {
    constexpr Power p = power_of(K), axis = first_axis(p), down = p - axis;
    constexpr int count = along(down, axis);
    V value = along(d, axis) * above[term_of(down)];
    if constexpr (count == 1) value += above[term_of(down - axis)];
    if constexpr (count > 1) value += MathOf<V>::constant(count) * above[term_of(down - axis)];
    return value;
}

// All derivatives D_k of f at d from its radial derivatives g_n: D_k^(n) with D_0^(n) = g_n and
// D_(k+e)^(n) = d_e D_k^(n+1) + k_e D_(k-e)^(n+1) (McMurchie & Davidson 1978).
template <int Order, class V>
TRELLIS_INLINE Terms<V, Order> derivatives(const Vec3<V>& d, const std::array<V, Order + 1>& g) {
    Terms<V, Order> above;
    above[0] = g[Order];
    unroll<Order>([&](auto pass) __attribute__((always_inline)) {
        constexpr int known = pass + 1;  // derivatives up to this order are known after this pass
        Terms<V, Order> now;
        now[0] = g[Order - known];
        [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
            ((now[K + 1] = next_derivative<K + 1>(d, above.data())), ...);
        }(Numbers<terms(known) - 1>{});
        above = now;
    });
    return above;
}

// False if a cell has no dipole about its centre, since that is the centre of its strength.
template <class I>
inline constexpr bool has_dipole = [] {
    if constexpr (requires { I::strength_has_one_sign; })
        return !I::strength_has_one_sign;
    else
        return true;
}();

// The first Count radial derivatives of an interaction, each times a power of the unit, at squared distances: see
// Expandable. Vectors become batches for the call, since interactions are written for batches, unless one takes
// vectors.
template <int Count, class I, class V>
TRELLIS_INLINE std::array<V, Count> radial_derivatives(const I& interaction, const V& r2, const V& unit2) {
    using Argument = typename MathOf<V>::Argument;
    if constexpr (requires { interaction.template radial_of_vectors<Count>(r2, unit2); }) {
        return interaction.template radial_of_vectors<Count>(r2, unit2);
    } else if constexpr (std::is_same_v<Argument, V>) {
        return interaction.template radial<Count>(r2, unit2);
    } else {
        const auto batches = interaction.template radial<Count>(Argument(r2), Argument(unit2));
        std::array<V, Count> vectors;
        for (std::size_t n = 0; n < vectors.size(); ++n) vectors[n] = batches[n].part[0];
        return vectors;
    }
}

TRELLIS_ISA_END
}  // namespace trellis
