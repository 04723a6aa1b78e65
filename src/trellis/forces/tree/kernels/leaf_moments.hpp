// The moments of leaves from their particles (P2M), several leaves at once, a lane each. For kernel sources only.
#pragma once

#include <algorithm>

#include "trellis/base/batch.hpp"
#include "trellis/forces/tree/expansions/expansion.hpp"
#include "trellis/forces/tree/kernels/scene.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Component `component` of the particles [first, first + width) of up to `width` leaves: lane l of columns[k] is
// particle first + k of leaf l, or 0 if the leaf has no such particle.
template <class R>
void load_particles(const Scene& scene, std::span<const std::uint32_t> leaves, std::uint32_t first,
                    std::size_t component, Vector<R> (&columns)[lanes<R>]) {
    const Vector<R> number = lane_numbers<R>();
    const R* values = static_cast<const R*>(scene.j_particles) + component * scene.j_stride;
    for (std::size_t lane = 0; lane < lanes<R>; ++lane) {
        columns[lane] = Vector<R>{};
        if (lane >= leaves.size()) continue;
        const Cell& cell = scene.cells[leaves[lane]];
        if (first >= cell.count) continue;
        const auto present = less<R>(number, all_lanes(static_cast<R>(cell.count - first)));
        columns[lane] = blend<R>(present, load_unaligned(values + cell.first + first), Vector<R>{});
    }
    transpose<R>(columns);
}

// The moments of up to width leaves, a lane each, about their centres; j-particles are relative to the same centres.
template <int Order, class R>
Terms<Vector<R>, Order> moments_of_leaves(const Scene& scene, std::span<const std::uint32_t> leaves,
                                          std::size_t strength) {
    using V = Vector<R>;
    constexpr std::size_t width = lanes<R>;
    std::uint32_t longest = 0;
    alignas(64) R per_unit[width] = {};
    for (std::size_t lane = 0; lane < leaves.size(); ++lane) {
        longest = std::max(longest, scene.cells[leaves[lane]].count);
        per_unit[lane] = static_cast<R>(1 / scene.units[leaves[lane]]);
    }
    const V scale = load(per_unit);
    Terms<V, Order> sum{};
    V x[width], y[width], z[width], weight[width];
    for (std::uint32_t first = 0; first < longest; first += width) {
        load_particles<R>(scene, leaves, first, 0, x);
        load_particles<R>(scene, leaves, first, 1, y);
        load_particles<R>(scene, leaves, first, 2, z);
        load_particles<R>(scene, leaves, first, strength, weight);
        for (std::uint32_t k = 0; k < width && first + k < longest; ++k) {
            const auto power = powers<Order>(Vec3<V>{x[k] * scale, y[k] * scale, z[k] * scale});
            for (std::size_t m = 0; m < sum.size(); ++m) sum[m] += weight[k] * power[m];
        }
    }
    return sum;
}

TRELLIS_ISA_END
}  // namespace trellis
