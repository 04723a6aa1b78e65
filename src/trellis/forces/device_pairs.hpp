// What a device's kernels for pair forces read and write, on the processor and on a GPU alike.
//
// Rows. All that acts on anything is in one table: particles in tree order, then cells as superparticles, a row each (FDPS: EPJ and SPJ in
// one buffer; i-particles are read from the same rows, so EPI too). A row holds the position relative to the root cell's corner, as a
// rounded value (3) and the rest (3), and then the other components of the interaction's fields.
//
// Lists. Groups of i-particles, each with the rows that act on it: sent as ranges of rows, since a leaf is one and sibling cells are
// neighbours; written out as row numbers by the device, which then needs no search to share them among threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "trellis/base/vec.hpp"

namespace trellis {

// The kernels by name. expand_lists: constants ListsCall; memory: groups, ranges, indices (written).
// pairs_kernel(...): constants PairsCall and behind it the interaction; memory: rows, groups, indices, results (written).
inline constexpr const char* expand_lists_kernel = "expand_lists";

inline std::string pairs_kernel(const char* interaction, std::size_t value_bytes) {
    return std::string(interaction) + (value_bytes == sizeof(float) ? ".pairs.single" : ".pairs.double");
}

struct RowRange {
    std::uint32_t first, count;
};

struct DeviceGroup {
    std::uint32_t first_row;    // of its i-particles, which follow each other
    std::uint32_t count;        // i-particles, at least 1
    std::uint32_t first_range;  // its list as ranges; its own rows are not on it
    std::uint32_t range_count;
    std::uint32_t first_result;  // place of its first i-particle among the results
    std::uint32_t index_count;   // rows on its list
    std::uint64_t first_index;   // place of its list among the indices
};

struct ListsCall {
    std::uint32_t group_count;
};

struct alignas(16) PairsCall {
    std::uint32_t group_count;
    std::uint32_t largest_group;  // most i-particles of any
};

// Where the value of a component of the fields stands in a row: for c < 3 the rounded position, with its rest three places on.
TRELLIS_INLINE std::size_t place_in_row(std::size_t component) { return component < 3 ? component : component + 3; }

// Values from one row to the next, for so many components: a multiple of four, so that rows can be read in fours.
TRELLIS_INLINE std::size_t row_stride_of(std::size_t components) { return (components + 3 + 3) / 4 * 4; }

// Writes the position of a row, relative to the root cell's corner.
template <class R>
TRELLIS_HOST_DEVICE inline void write_row_position(const Vec3<double>& from_corner, R* row) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
#if defined(__CUDA_ARCH__)
        const R rounded = static_cast<R>(from_corner[axis]);
#else
        // By way of memory: GCC 12, where it vectorises, takes double(float(x)) for x, and the rest would be zero.
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
