// The rows of cells with multipole moments, several cells at once, a lane each. For kernel sources only.
#pragma once

#include <algorithm>

#include "trellis/forces/tree/kernels/cell_rows.hpp"
#include "trellis/forces/tree/kernels/leaf_moments.hpp"
#include "trellis/forces/tree/kernels/parent_moments.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <int Order, class R>
class MomentRows {
  public:
    MomentRows(const Scene& scene, std::size_t strength, R* rows) : scene_(scene), strength_(strength), rows_(rows) {}

    // Computes the rows of the cells [begin, end), whose children come after end. The moments of closed cells are in
    // their rows already.
    void compute(std::size_t begin, std::size_t end) {
        Cells leaves, inner;
        for (std::size_t c = begin; c < end; ++c) {
            const Cell& cell = scene_.cells[c];
            describe(c);
            if (cell.is_closed()) continue;
            Cells& some = cell.is_leaf() ? leaves : inner;
            some.index[some.count++] = static_cast<std::uint32_t>(c);
            if (some.count == width) cell.is_leaf() ? flush_leaves(leaves) : flush_inner(inner);
        }
        flush_leaves(leaves);
        flush_inner(inner);
    }

  private:
    using V = Vector<R>;
    static constexpr std::size_t width = lanes<R>;

    struct Cells {
        std::uint32_t index[width];
        std::size_t count = 0;
        std::span<const std::uint32_t> span() const { return {index, count}; }
    };

    R* row(std::size_t cell) { return rows_ + cell * row_stride<Order, R>; }

    // Writes all of a row but its moments.
    void describe(std::size_t cell) {
        const SplitPosition<R> split(scene_.spheres[cell].centre - scene_.corner);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            row(cell)[RowLayout<Order>::centre + axis] = split.value[axis];
            row(cell)[RowLayout<Order>::rest + axis] = split.rest[axis];
        }
        row(cell)[RowLayout<Order>::unit] = static_cast<R>(scene_.units[cell]);
        if (scene_.cell_softenings != nullptr)
            row(cell)[RowLayout<Order>::widening] = static_cast<R>(widening_of(scene_.cell_softenings[cell]));
    }

    void flush_leaves(Cells& leaves) {
        if (leaves.count == 0) return;
        put(moments_of_leaves<Order, R>(scene_, leaves.span(), strength_), leaves);
    }

    void flush_inner(Cells& inner) {
        if (inner.count == 0) return;
        put(moments_of_parents<Order, R>(scene_, inner.span(), rows_), inner);
    }

    // Writes the moments alone to their rows, and clears the cells.
    void put(const Terms<V, Order>& moments, Cells& cells) {
        for (std::size_t first = 0; first < moments.size(); first += width) {
            const std::size_t count = std::min(width, moments.size() - first);
            V rows[width];
            for (std::size_t k = 0; k < width; ++k) rows[k] = k < count ? moments[first + k] : V{};
            transpose<R>(rows);
            for (std::size_t lane = 0; lane < cells.count; ++lane) {
                alignas(64) R values[width];
                store<R>(rows[lane], values);
                std::copy_n(values, count, row(cells.index[lane]) + first);
            }
        }
        cells.count = 0;
    }

    const Scene& scene_;
    std::size_t strength_;
    R* rows_;
};

// See OrderKernels::describe_cells.
template <int Order, class R>
void describe_moments(const Scene& scene, std::size_t strength, std::size_t begin, std::size_t end, void* rows) {
    MomentRows<Order, R>(scene, strength, static_cast<R*>(rows)).compute(begin, end);
}

TRELLIS_ISA_END
}  // namespace trellis
