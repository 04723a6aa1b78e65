#include "trellis/forces/tree/device/batches/rows.hpp"

#include <algorithm>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/packing/rounding.hpp"

namespace trellis {

namespace {

// The radius of the leaf that holds each slot.
std::vector<double> leaf_radii(const ListedTree& listed) {
    std::vector<double> radii(listed.columns().slots(), 0.0);
    const auto& cells = listed.tree().cells();
    parallel_for(cells.size(), [&](std::size_t cell) {
        if (cells[cell].is_leaf() && !cells[cell].is_closed())
            std::fill_n(radii.begin() + cells[cell].first, cells[cell].count, listed.moments().spheres()[cell].radius);
    });
    return radii;
}

}  // namespace

template <class R>
void write_rows(const ListedTree& listed, int digits, R* rows) {
    const SortedColumns& columns = listed.columns();
    const Moments& moments = listed.moments();
    const std::size_t components = columns.component_count(), stride = row_stride_of(components);
    const Vec3<double> corner = listed.tree().root_box().low;
    const int finest = exponent_of(listed.tree().root_box().side) - 52;
    const auto rounded = [digits, finest](Vec3<double> from_corner, double radius) {
        if (digits == 0) return from_corner;
        const Multiples multiples(std::max(exponent_of(radius) - digits, finest));
        for (std::size_t axis = 0; axis < 3; ++axis)
            from_corner[axis] = multiples.value(multiples.integer(from_corner[axis]));
        return from_corner;
    };
    const std::vector<double> radii = digits > 0 ? leaf_radii(listed) : std::vector<double>();
    parallel_for(columns.slots(), [&](std::size_t slot) {
        R* row = rows + slot * stride;
        const Vec3<double> at{columns.component(0)[slot], columns.component(1)[slot], columns.component(2)[slot]};
        write_row_position(rounded(at - corner, digits > 0 ? radii[slot] : 0), row);
        const std::size_t known = slot < columns.size() ? components : listed.source_components();
        for (std::size_t c = 3; c < known; ++c) row[place_in_row(c)] = static_cast<R>(columns.component(c)[slot]);
    });
    parallel_for(row_count(listed) - columns.slots(), [&](std::size_t cell) {
        R* row = rows + (columns.slots() + cell) * stride;
        const Sphere& sphere = moments.spheres()[cell];
        write_row_position(rounded(sphere.centre - corner, sphere.radius), row);
        for (std::size_t c = 3; c < components; ++c) row[place_in_row(c)] = static_cast<R>(moments.sum(c)[cell]);
    });
}

template void write_rows(const ListedTree& listed, int digits, float* rows);
template void write_rows(const ListedTree& listed, int digits, double* rows);

}  // namespace trellis
