// One particle or superparticle as a row of a table, as devices read it: the position relative to an origin of the
// table, as a rounded value (3) and the rest (3), so that single precision loses nothing far from the origin; then the
// other components of the interaction's fields.
#pragma once

#include <cstddef>

#include "trellis/base/gpu.hpp"
#include "trellis/base/vec.hpp"

namespace trellis {

// The index of component c of the fields in a row: for c < 3 the rounded position, with its rest three values behind.
TRELLIS_INLINE std::size_t place_in_row(std::size_t component) { return component < 3 ? component : component + 3; }

// The number of values from one row to the next, for `components` components: a multiple of four, so that rows can be
// read in fours.
TRELLIS_INLINE std::size_t row_stride_of(std::size_t components) { return (components + 3 + 3) / 4 * 4; }

// Writes the position of a row, relative to the root cell's corner.
template <class R>
TRELLIS_HOST_DEVICE inline void write_row_position(const Vec3<double>& from_corner, R* row) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
#if defined(TRELLIS_ON_GPU)
        const R rounded = static_cast<R>(from_corner[axis]);
#else
        // The rounded value goes through memory: GCC 12, where it vectorises, replaces double(float(x)) by x, and the
        // rest would be zero.
        volatile R rounded = static_cast<R>(from_corner[axis]);
#endif
        row[axis] = rounded;
        row[axis + 3] = static_cast<R>(from_corner[axis] - static_cast<double>(rounded));
    }
}

// Component axis of row - origin, both rows: exact up to the rounding of the difference itself.
template <class R>
TRELLIS_INLINE R apart(const R* row, const R* origin, std::size_t axis) {
    return (row[axis] - origin[axis]) + (row[axis + 3] - origin[axis + 3]);
}

}  // namespace trellis
