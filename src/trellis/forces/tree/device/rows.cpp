#include "trellis/forces/tree/device/rows.hpp"

#include "trellis/base/parallel.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {

template <class R>
void write_rows(const ListedTree& listed, R* rows) {
    const SortedColumns& columns = listed.columns();
    const Moments& moments = listed.moments();
    const std::size_t components = columns.component_count(), stride = row_stride_of(components);
    const Vec3<double> corner = listed.tree().root_box().low;
    parallel_for(columns.slots(), [&](std::size_t slot) {
        R* row = rows + slot * stride;
        write_row_position(
            Vec3<double>{columns.component(0)[slot], columns.component(1)[slot], columns.component(2)[slot]} - corner,
            row);
        const std::size_t known = slot < columns.size() ? components : listed.source_components();
        for (std::size_t c = 3; c < known; ++c) row[place_in_row(c)] = static_cast<R>(columns.component(c)[slot]);
    });
    parallel_for(listed.tree().cells().size(), [&](std::size_t cell) {
        R* row = rows + (columns.slots() + cell) * stride;
        write_row_position(moments.spheres()[cell].centre - corner, row);
        for (std::size_t c = 3; c < components; ++c) row[place_in_row(c)] = static_cast<R>(moments.sum(c)[cell]);
    });
}

template void write_rows(const ListedTree& listed, float* rows);
template void write_rows(const ListedTree& listed, double* rows);

}  // namespace trellis
