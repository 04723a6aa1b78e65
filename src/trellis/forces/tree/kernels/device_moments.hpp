// The moments of cells on a device, from the rows of its particles (P2M, M2M): grid kernels, the same on processors and
// GPUs. The host has written a frame for each cell, the part of its row (cell_layout.hpp) that is not moments.
#pragma once

#include <string>

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/forces/tree/expansions/cell_layout.hpp"
#include "trellis/forces/tree/expansions/m2m.hpp"
#include "trellis/tree/cell.hpp"

namespace trellis {

// The values of a frame: the centre (3) and its rest (3), the unit and the widening.
inline constexpr std::size_t frame_unit = 6, frame_widening = 7, frame_values = 8;

// The names of both kernels.
inline std::string leaf_moments_kernel(int order, std::size_t value_bytes) {
    return "leaf_moments." + std::to_string(order) + (value_bytes == sizeof(float) ? ".single" : ".double");
}
inline std::string parent_moments_kernel(int order, std::size_t value_bytes) {
    return "parent_moments." + std::to_string(order) + (value_bytes == sizeof(float) ? ".single" : ".double");
}

TRELLIS_ISA_BEGIN

template <int Order, class R>
TRELLIS_INLINE void write_moments(const Terms<R, Order>& moments, R* row) {
    unroll<terms(Order)>([&](auto m) { row[m] = moments[m]; });
}

// Element k: the row of cell k, with moments if it is a leaf (P2M).
template <int Order, class R>
struct LeafMoments {
    std::uint32_t stride, strength;  // of a particle's row: values from one to the next, place of the strength
    const Cell* tree = nullptr;
    const R* frames = nullptr;
    const R* particles = nullptr;
    R* cells = nullptr;
    auto arrays() { return std::tie(tree, frames, particles, cells); }
    auto sizes(std::uint64_t count) const {
        const bool fits = stride >= 6 && strength < stride;
        return array_sizes(count, size_product(count, frame_values), fits ? std::uint64_t{stride} : no_size,
                           size_product(count, row_stride<Order, R>));
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        using Layout = RowLayout<Order>;
        static_assert(Layout::centre + frame_unit == Layout::unit && Layout::centre + frame_values == Layout::used);
        const Cell cell = tree[k];
        const R* frame = frames + k * frame_values;
        R* row = cells + k * row_stride<Order, R>;
        for (std::size_t value = 0; value < frame_values; ++value) row[Layout::centre + value] = frame[value];
        if (!cell.is_leaf()) return;
        const SplitPosition<R> centre(frame);
        const R per_unit = 1 / frame[frame_unit];
        Terms<R, Order> sum{};
        for (std::uint32_t slot = cell.first; slot < cell.end(); ++slot) {
            const R* particle = particles + std::size_t{slot} * stride;
            const auto power = powers<Order>(difference(SplitPosition<R>(particle), centre) * per_unit);
            unroll<terms(Order)>([&](auto m) { sum[m] += particle[strength] * power[m]; });
        }
        write_moments<Order>(sum, row);
    }
};

// Element k: the moments of cell first + k of a level, unless it is a leaf, from those of its children (M2M).
template <int Order, class R>
struct ParentMoments {
    std::uint32_t first;
    const Cell* tree = nullptr;
    R* cells = nullptr;
    auto arrays() { return std::tie(tree, cells); }
    auto sizes(std::uint64_t count) const {
        const std::uint64_t all = size_sum(first, count);
        return array_sizes(all, size_product(all, row_stride<Order, R>));
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const Cell cell = tree[first + k];
        if (cell.is_leaf()) return;
        R* row = cells + (first + k) * row_stride<Order, R>;
        const CellRow<Order, R> own(row);
        const SplitPosition<R> centre = own.centre();
        const R per_unit = 1 / own.unit();
        Terms<R, Order> sum{};
        for (const std::size_t number : {std::size_t{cell.child}, std::size_t{cell.child} + 1}) {
            const R* child_row = cells + number * row_stride<Order, R>;
            const CellRow<Order, R> child(child_row);
            shift_multipole<Order, R>(child_row, difference(child.centre(), centre) * per_unit, child.unit() * per_unit,
                                      sum.data());
        }
        write_moments<Order>(sum, row);
    }
};

TRELLIS_ISA_END
}  // namespace trellis
