// The moments of parents from those of their two children (M2M), several cells at once, a lane each. For kernel sources
// only.
#pragma once

#include <array>
#include <cstring>

#include "trellis/forces/tree/expansions/m2m.hpp"
#include "trellis/forces/tree/kernels/cell_rows.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

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
