// Expansions at work: local expansions of the targets, and what i-particles take from them and from multipole moments.
// For kernel sources only.
#pragma once

#include <algorithm>

#include "trellis/forces/expansion.hpp"
#include "trellis/forces/interaction.hpp"
#include "trellis/forces/kernels.hpp"
#include "trellis/forces/split_position.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Some cells side by side, with their moments.
template <int Order, class R>
class CellBatch {
  public:
    using V = Batch<R>;
    static constexpr std::size_t width = lanes<R>;

    // Takes up to width cells; lanes without a cell repeat the first one with no strength.
    [[gnu::always_inline]] CellBatch(const std::uint32_t* cells, std::size_t count, const R* table) {
        const R* row[width];
        alignas(64) R strengths[width];
        for (std::size_t lane = 0; lane < width; ++lane) {
            row[lane] = table + cells[lane < count ? lane : 0] * row_stride<Order, R>;
            strengths[lane] = lane < count ? R(1) : R(0);
        }
        present_ = load(strengths);
        unroll<static_cast<int>(row_stride<Order, R> / width)>([&](auto part) __attribute__((always_inline)) {
            V rows[width];
            for (std::size_t lane = 0; lane < width; ++lane) rows[lane] = load(row[lane] + part * width);
            transpose<R>(rows);
            for (std::size_t k = 0; k < width; ++k) columns_[part * width + k] = rows[k];
        });
    }

    // origin - centre of each cell.
    [[gnu::always_inline]] Vec3<V> from_centres(const SplitPosition<R>& origin) const {
        using Layout = RowLayout<Order>;
        const auto axis = [&](std::size_t k) {
            return (V(origin.value[k]) - columns_[Layout::centre + k]) +
                   (V(origin.rest[k]) - columns_[Layout::rest + k]);
        };
        return {axis(0), axis(1), axis(2)};
    }

    [[gnu::always_inline]] const V& unit() const { return columns_[RowLayout<Order>::unit]; }

    // (-1)^|m| M_m, in units of unit / ratio.
    [[gnu::always_inline]] Terms<V, Order> moments(const V& ratio) const {
        auto scale = powers_of<Order>(V(-ratio));
        for (auto& value : scale) value *= present_;
        Terms<V, Order> result;
        unroll<terms(Order)>(
            [&](auto m) __attribute__((always_inline)) { result[m] = columns_[m] * scale[power_of(m).order()]; });
        return result;
    }

  private:
    V columns_[row_stride<Order, R>];
    V present_;
};

template <class I>
inline constexpr bool has_dipole = [] {
    if constexpr (requires { I::strength_has_one_sign; })
        return !I::strength_has_one_sign;
    else
        return true;
}();

// Multipole to local (M2L): adds to sums what the cells' moments give at the target's centre, in the target's units,
// each lane for its own cells. In between the unit is the distance: derivatives and the powers of both cells' units over it then
// keep within the range of single precision, however unlike the cells. (A cell of one place may have too large a unit.)
template <int Order, class I, class R>
[[gnu::always_inline]] inline void add_local(const I& interaction, const CellBatch<Order, R>& cells,
                                             const SplitPosition<R>& centre, double unit,
                                             Terms<Batch<R>, Order>& sums) {
    using V = Batch<R>;
    const Vec3<V> d = cells.from_centres(centre);
    const V distance2 = dot(d, d), per_distance = rsqrt(distance2);
    const auto in_distances = [&](const V& length) { return std::experimental::min(length * per_distance, V(R(1))); };
    const auto g = interaction.template radial<Order + 1>(distance2, distance2);
    const auto field = derivatives<Order, V>(d * per_distance, g);
    const auto moment = cells.moments(in_distances(cells.unit()));
    const auto scale = powers_of<Order>(in_distances(V(static_cast<R>(unit))));
    unroll<terms(Order)>([&](auto k) __attribute__((always_inline)) {
        constexpr Power p = power_of(k);
        V sum = moment[0] * field[k];
        unroll<terms(Order - p.order()) - 1>([&](auto m) __attribute__((always_inline)) {
            constexpr Power q = power_of(m + 1);
            if constexpr (q.order() != 1 || has_dipole<I>) sum += moment[m + 1] * field[term_of(p + q)];
        });
        sums[k] += scale[p.order()] * sum;
    });
}

// The local expansion of a target from its far cells.
template <int Order, class I, class R>
Terms<R, Order> local_of_cells(const I& interaction, const Scene& scene, std::uint32_t target,
                               std::span<const std::uint32_t> far, const R* table) {
    constexpr std::size_t width = lanes<R>;
    const SplitPosition<R> centre(scene.spheres[target].centre - scene.corner);
    Terms<Batch<R>, Order> sums;
    for (auto& sum : sums) sum = Batch<R>(R(0));
    for (std::size_t next = 0; next < far.size(); next += width) {
        const std::size_t count = std::min(far.size() - next, width);
        for (std::size_t ahead = next + count; ahead < std::min(far.size(), next + 2 * width); ++ahead)
            prefetch(table + far[ahead] * row_stride<Order, R>, row_stride<Order, R>);
        const CellBatch<Order, R> cells(far.data() + next, count, table);
        add_local<Order, I, R>(interaction, cells, centre, scene.units[target], sums);
    }
    Terms<R, Order> local;
    for (std::size_t k = 0; k < local.size(); ++k) local[k] = std::experimental::reduce(sums[k]);
    return local;
}

// Potential and gradient of cells at an i-particle (M2P), each lane for its own cell. d: i-particle - centre of the cell.
template <int Order, class I, class V>
[[gnu::always_inline]] inline FieldValue<V> field_of_cells(const I& interaction, const Vec3<V>& d, const V& unit,
                                                           const Terms<V, Order>& moment) {
    const V per_unit = V(1) / unit;
    const auto g = interaction.template radial<Order + 2>(dot(d, d), V(unit * unit));
    const auto field = derivatives<Order + 1, V>(d * per_unit, g);
    FieldValue<V> value{V(0), {V(0), V(0), V(0)}};
    unroll<terms(Order)>([&](auto m) __attribute__((always_inline)) {
        constexpr Power p = power_of(m);
        if constexpr (p.order() != 1 || has_dipole<I>) {
            value.phi += moment[m] * field[m];
            value.gradient.x += moment[m] * field[term_of(p + Power{1, 0, 0})];
            value.gradient.y += moment[m] * field[term_of(p + Power{0, 1, 0})];
            value.gradient.z += moment[m] * field[term_of(p + Power{0, 0, 1})];
        }
    });
    value.gradient = value.gradient * per_unit;
    return value;
}

TRELLIS_ISA_END
}  // namespace trellis
