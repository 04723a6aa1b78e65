// The table of rows that a device's kernels read: see device_pairs.hpp.
#pragma once

#include <cstddef>

#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

// True if far cells are rows, as superparticles of order 1. Those with moments have a table of their own.
inline bool cells_are_rows(const Opening& opening) { return opening.order == 1; }

// The number of rows of a listed tree, local or imported: one for each particle, and for each cell that is a row.
inline std::size_t row_count(const ListedTree& listed) {
    return listed.columns().slots() + (cells_are_rows(listed.opening()) ? listed.tree().cells().size() : 0);
}

// Writes all rows, row_stride_of(components) values of type R each. R: float or double. digits above 0: positions are
// rounded to multiples of 2^-digits of the radius of their cell, itself rounded down to a power of two.
template <class R>
void write_rows(const ListedTree& listed, int digits, R* rows);

}  // namespace trellis
