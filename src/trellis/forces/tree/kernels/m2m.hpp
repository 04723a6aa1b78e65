// Multipole to multipole (M2M): the moments of a cell, from those of its two children. For kernel sources only.
#pragma once

#include <array>
#include <cstring>

#include "trellis/forces/tree/kernels/cell_rows.hpp"

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

template <int M, class V>
[[gnu::always_inline]] inline V with_child(V sum, const V* child, const V* scale, const V* moved) {
    static constexpr auto within = terms_within<M>();
    [&]<int... J>(std::integer_sequence<int, J...>) __attribute__((always_inline)) {
        ((sum +=
          (scale[power_of(within[J]).order()] * child[within[J]]) * moved[term_of(power_of(M) - power_of(within[J]))]),
         ...);
    }(Numbers<static_cast<int>(within.size())>{});
    return sum;
}

// Moves a multipole expansion: adds the child's, about the parent's centre, to parent. offset: child centre - parent
// centre, in the parent's units; ratio: child unit / parent unit.
template <int Order, class V>
[[gnu::always_inline]] inline void shift_multipole(const V* child, const Vec3<V>& offset, const V& ratio, V* parent) {
    const auto scale = powers_of<Order>(ratio);
    const auto moved = powers<Order>(offset);
    [&]<int... M>(std::integer_sequence<int, M...>) __attribute__((always_inline)) {
        ((parent[M] = with_child<M>(parent[M], child, scale.data(), moved.data())), ...);
    }(Numbers<terms(Order)>{});
}

// The moments of up to width cells, a lane each, from those in the rows of their children.
template <int Order, class R>
Terms<Vector<R>, Order> moments_of_parents(const Scene& scene, std::span<const std::uint32_t> parents, const R* rows) {
    using V = Vector<R>;
    constexpr std::size_t width = lanes<R>, parts = (terms(Order) + width - 1) / width;
    Terms<V, Order> sum{};
    for (const std::uint32_t half : {0U, 1U}) {
        alignas(64) R x[width], y[width], z[width], ratio[width];
        const R* child_rows[width];
        for (std::size_t lane = 0; lane < width; ++lane) {
            const std::uint32_t parent = parents[lane < parents.size() ? lane : 0];
            const std::uint32_t child = scene.cells[parent].child + half;
            const double per_unit = 1.0 / scene.units[parent];
            const auto apart = rounded<R>((scene.spheres[child].centre - scene.spheres[parent].centre) * per_unit);
            x[lane] = apart.x;
            y[lane] = apart.y;
            z[lane] = apart.z;
            ratio[lane] = static_cast<R>(scene.units[child] * per_unit);
            child_rows[lane] = rows + child * row_stride<Order, R>;
        }
        V moments[parts][width];
        for (std::size_t part = 0; part < parts; ++part)
            load_columns<R>([&](std::size_t lane) { return child_rows[lane]; }, part * width, moments[part]);
        shift_multipole<Order, V>(moments[0], {load(x), load(y), load(z)}, load(ratio), sum.data());
    }
    return sum;
}

// See OrderKernels::join_moments. Any unit serves for a cell without a radius.
template <int Order, class R>
void join_moments(const Sphere& parent, const std::array<Sphere, 2>& children,
                  const std::array<const std::byte*, 2>& moments, std::byte* joined) {
    const double unit = parent.radius > 0 ? parent.radius : 1;
    Terms<R, Order> sum{};
    for (std::size_t k = 0; k < 2; ++k) {
        const double child_unit = children[k].radius > 0 ? children[k].radius : unit;
        Terms<R, Order> child;
        std::memcpy(child.data(), moments[k], sizeof child);
        shift_multipole<Order, R>(child.data(), rounded<R>((children[k].centre - parent.centre) * (1 / unit)),
                                  static_cast<R>(child_unit / unit), sum.data());
    }
    std::memcpy(joined, sum.data(), sizeof sum);
}

TRELLIS_ISA_END
}  // namespace trellis
