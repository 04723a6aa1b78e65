// The table of cells: a row of values for each, as a superparticle or with multipole moments. For kernel sources only.
#pragma once

#include "trellis/base/batch.hpp"
#include "trellis/base/workspace.hpp"
#include "trellis/forces/tree/expansions/cell_layout.hpp"
#include "trellis/forces/tree/expansions/split_position.hpp"
#include "trellis/forces/tree/kernels/scene.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// A superparticle: its centre relative to the root's corner as a rounded value and the rest, and the sums of the other
// components of Source.
template <class R>
constexpr std::size_t superparticle_stride(std::size_t source_components) {
    return whole_lines<R>(3 + source_components);
}

// The cells [begin, end) as superparticles.
template <class R>
void make_superparticles(const Scene& scene, std::size_t, std::size_t begin, std::size_t end, void* rows) {
    const std::size_t components = scene.source_components;
    for (std::size_t c = begin; c < end; ++c) {
        R* row = static_cast<R*>(rows) + c * superparticle_stride<R>(components);
        const SplitPosition<R> centre(scene.spheres[c].centre - scene.corner);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            row[axis] = centre.value[axis];
            row[3 + axis] = centre.rest[axis];
        }
        for (std::size_t k = 3; k < components; ++k) row[3 + k] = static_cast<R>(scene.cell_sums[k - 3][c]);
    }
}

// Values [first, first + lanes) of up to `lanes` rows, one row a lane.
template <class R, class RowOf>
[[gnu::always_inline]] inline void load_columns(const RowOf& row_of, std::size_t first,
                                                Vector<R> (&columns)[lanes<R>]) {
    for (std::size_t lane = 0; lane < lanes<R>; ++lane) columns[lane] = load(row_of(lane) + first);
    transpose<R>(columns);
}

// Up to a batch of cells with their moments, one cell a lane.
template <int Order, class R>
class CellBatch {
  public:
    using V = Vector<R>;
    using Layout = RowLayout<Order>;
    static constexpr std::size_t width = lanes<R>;

    // Takes up to width cells; lanes without a cell repeat the first one with no strength.
    [[gnu::always_inline]] CellBatch(const std::uint32_t* cells, std::size_t count, const R* rows) {
        const R* row[width];
        alignas(64) R strengths[width];
        for (std::size_t lane = 0; lane < width; ++lane) {
            row[lane] = rows + cells[lane < count ? lane : 0] * row_stride<Order, R>;
            strengths[lane] = lane < count ? R(1) : R(0);
        }
        present_ = load(strengths);
        unroll<static_cast<int>(parts)>([&](auto part) __attribute__((always_inline)) {
            load_columns<R>([&](std::size_t lane) { return row[lane]; }, part * width, columns_[part]);
        });
    }

    // origin - centre of each cell.
    [[gnu::always_inline]] Vec3<V> from_centres(const SplitPosition<R>& origin) const {
        const auto axis = [&](std::size_t k) {
            return V((origin.value[k] - column(Layout::centre + k)) + (origin.rest[k] - column(Layout::rest + k)));
        };
        return {axis(0), axis(1), axis(2)};
    }

    [[gnu::always_inline]] const V& unit() const { return column(Layout::unit); }
    [[gnu::always_inline]] const V& widening() const { return column(Layout::widening); }

    // (-1)^|m| M_m, in units of unit / ratio.
    [[gnu::always_inline]] Terms<V, Order> moments(const V& ratio) const {
        auto scale = powers_of<Order>(V(-ratio));
        for (auto& value : scale) value *= present_;
        Terms<V, Order> result;
        [&]<int... M>(std::integer_sequence<int, M...>) __attribute__((always_inline)) {
            ((result[M] = column(M) * scale[power_of(M).order()]), ...);
        }(Numbers<terms(Order)>{});
        return result;
    }

  private:
    static constexpr std::size_t parts = (Layout::used + width - 1) / width;

    [[gnu::always_inline]] const V& column(std::size_t k) const { return columns_[k / width][k % width]; }

    V columns_[parts][width];
    V present_;
};

TRELLIS_ISA_END
}  // namespace trellis
