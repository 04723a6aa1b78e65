// Input and output of a device's kernels for pair forces, the same on processors and GPUs.
//
// Rows (row_layout.hpp). All sources are in one table: particles in tree order, then cells as superparticles, a row
// each (FDPS: EPJ and SPJ in one buffer; i-particles are read from the same rows, so EPI too). Positions are relative
// to the root cell's corner.
//
// Lists. Groups of i-particles, each with the rows that act on it: sent as ranges of rows, since a leaf is one range
// and sibling cells are adjacent; written out as row numbers by the device, which then needs no search to share them
// among threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "trellis/forces/row_layout.hpp"

namespace trellis {

// The kernels by name. expand_lists: constants ListsCall; memory: groups, ranges, indices (written).
// pairs_kernel(...): constants PairsCall and behind it the interaction; memory: rows, groups, indices, results
// (written).
inline constexpr const char* expand_lists_kernel = "expand_lists";

inline std::string pairs_kernel(const char* interaction, std::size_t value_bytes) {
    return std::string(interaction) + (value_bytes == sizeof(float) ? ".pairs.single" : ".pairs.double");
}

struct RowRange {
    std::uint32_t first, count;
};

struct DeviceGroup {
    std::uint32_t first_row;    // row of its first i-particle; the others follow
    std::uint32_t count;        // i-particles; 0: an empty group
    std::uint32_t first_range;  // its list as ranges; the rows of its i-particles are not on it
    std::uint32_t range_count;
    std::uint32_t first_result;  // index of its first i-particle among the results
    std::uint32_t index_count;   // rows on its list
    std::uint64_t first_index;   // index of its list among the indices
};

struct ListsCall {
    std::uint32_t group_count;
};

struct alignas(16) PairsCall {
    std::uint32_t group_count;
    std::uint32_t largest_group;  // most i-particles of a group
};

}  // namespace trellis
