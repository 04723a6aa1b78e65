// Expansions at work: multipole moments of the cells, local expansions of the targets, and what i-particles take from both.
// For kernel sources only.
#pragma once

#include "trellis/forces/expansion.hpp"
#include "trellis/forces/interaction.hpp"
#include "trellis/forces/kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class V>
[[gnu::always_inline]] inline Vec3<V> rounded(const Vec3<double>& v) {
    return {static_cast<V>(v.x), static_cast<V>(v.y), static_cast<V>(v.z)};
}

// Multipole moments of the cells [begin, end) into table, terms(Order) values a cell: from the particles of leaves (P2M), and from
// the children of others (M2M).
template <int Order, class R>
void compute_multipoles(const Scene& scene, std::size_t strength, std::size_t begin, std::size_t end, R* table) {
    for (std::size_t c = begin; c < end; ++c) {
        const Cell& cell = scene.cells[c];
        const Vec3<double> centre = scene.spheres[c].centre;
        const double per_unit = 1.0 / scene.sides[c];
        Terms<R, Order> sum{};
        if (cell.is_leaf()) {
            for (std::uint32_t s = cell.first; s < cell.end(); ++s) {
                const Vec3<double> place{scene.columns[0][s], scene.columns[1][s], scene.columns[2][s]};
                const auto power = powers<Order>(rounded<R>((place - centre) * per_unit));
                const R weight = static_cast<R>(scene.columns[strength][s]);
                for (std::size_t m = 0; m < sum.size(); ++m) sum[m] += weight * power[m];
            }
        } else {
            for (const std::size_t child : {std::size_t{cell.child}, std::size_t{cell.child} + 1})
                shift_multipole<Order, R>(table + child * terms(Order),
                                          rounded<R>((scene.spheres[child].centre - centre) * per_unit),
                                          static_cast<R>(scene.sides[child] * per_unit), sum.data());
        }
        std::copy(sum.begin(), sum.end(), table + c * terms(Order));
    }
}

// Some cells side by side, as seen from a target: offsets and multipole moments.
template <int Order, class I, class R>
class CellBatch {
public:
    static constexpr std::size_t width = lanes<R>;

    // Takes up to width cells; lanes without a cell repeat the first one with no strength.
    CellBatch(const Scene& scene, const std::uint32_t* cells, std::size_t count, const R* table) : table_(table) {
        alignas(64) R strengths[width];
        for (std::size_t lane = 0; lane < width; ++lane) {
            const std::uint32_t cell = cells[lane < count ? lane : 0];
            strengths[lane] = lane < count ? R(1) : R(0);
            index_[lane] = static_cast<std::int32_t>(cell) * terms(Order);
            centre_[0][lane] = scene.spheres[cell].centre.x;
            centre_[1][lane] = scene.spheres[cell].centre.y;
            centre_[2][lane] = scene.spheres[cell].centre.z;
            side_[lane] = static_cast<R>(scene.sides[cell]);
        }
        present_ = load(strengths);
    }

    // origin - centre of each cell.
    Vec3<Batch<R>> from_centres(const Vec3<double>& origin) const {
        alignas(64) R d[3][width];
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t lane = 0; lane < width; ++lane)
                d[axis][lane] = static_cast<R>(origin[axis] - centre_[axis][lane]);
        return {load(d[0]), load(d[1]), load(d[2])};
    }

    Batch<R> sides() const { return load(side_); }

    // (-1)^|m| M_m in units of the given length instead of each cell's side.
    [[gnu::always_inline]] Terms<Batch<R>, Order> moments(const Batch<R>& ratio) const {
        auto scale = powers_of<Order>(Batch<R>(-ratio));
        Terms<Batch<R>, Order> result;
        unroll<terms(Order)>([&](auto m) __attribute__((always_inline)) {
            result[m] = gather(table_ + m, index_) * (present_ * scale[power_of(m).order()]);
        });
        return result;
    }

private:
    const R* table_;
    alignas(64) std::int32_t index_[width];
    alignas(64) double centre_[3][width];
    alignas(64) R side_[width];
    Batch<R> present_;
};

template <class I>
inline constexpr bool has_dipole = [] {
    if constexpr (requires { I::strength_has_one_sign; })
        return !I::strength_has_one_sign;
    else
        return true;
}();

// Multipole to local (M2L): adds to sums what the cells' moments give at the target's centre, in the target's units,
// each lane for its own cells.
template <int Order, class I, class R>
[[gnu::always_inline]] inline void add_local(const I& interaction, const CellBatch<Order, I, R>& cells,
                                             const Vec3<double>& centre, double side, Terms<Batch<R>, Order>& sums) {
    using V = Batch<R>;
    const Vec3<V> d = cells.from_centres(centre);
    const V unit(static_cast<R>(side)), per_unit(static_cast<R>(1 / side));
    const auto g = interaction.template radial<Order + 1>(dot(d, d), V(unit * unit));
    const auto field = derivatives<Order, V>(d * per_unit, g);
    const auto moment = cells.moments(cells.sides() * per_unit);
    unroll<terms(Order)>([&](auto k) __attribute__((always_inline)) {
        constexpr Power p = power_of(k);
        V sum = sums[k];
        unroll<terms(Order - p.order())>([&](auto m) __attribute__((always_inline)) {
            constexpr Power q = power_of(m);
            if constexpr (q.order() != 1 || has_dipole<I>) sum += moment[m] * field[term_of(p + q)];
        });
        sums[k] = sum;
    });
}

// The local expansion of a target from its far cells.
template <int Order, class I, class R>
Terms<R, Order> local_of_cells(const I& interaction, const Scene& scene, std::uint32_t target,
                               std::span<const std::uint32_t> far, const R* table) {
    constexpr std::size_t width = lanes<R>;
    Terms<Batch<R>, Order> sums;
    for (auto& sum : sums) sum = Batch<R>(R(0));
    for (std::size_t next = 0; next < far.size(); next += width) {
        const std::size_t count = far.size() - next < width ? far.size() - next : width;
        const CellBatch<Order, I, R> cells(scene, far.data() + next, count, table);
        add_local<Order, I, R>(interaction, cells, scene.spheres[target].centre, scene.sides[target], sums);
    }
    Terms<R, Order> local;
    for (std::size_t k = 0; k < local.size(); ++k) local[k] = std::experimental::reduce(sums[k]);
    return local;
}

// Potential and gradient of cells at an i-particle (M2P), each lane for its own cell. place: relative to centre.
template <int Order, class I, class R>
[[gnu::always_inline]] inline FieldValue<Batch<R>> field_of_cells(const I& interaction, const Vec3<Batch<R>>& d,
                                                                  const Batch<R>& side,
                                                                  const Terms<Batch<R>, Order>& moment) {
    using V = Batch<R>;
    const V per_unit = V(R(1)) / side;
    const auto g = interaction.template radial<Order + 2>(dot(d, d), V(side * side));
    const auto field = derivatives<Order + 1, V>(d * per_unit, g);
    FieldValue<V> value{V(R(0)), {V(R(0)), V(R(0)), V(R(0))}};
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
