// The frames of cells, of which a device makes their rows with moments (see device_moments.hpp).
#pragma once

#include <span>

#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

// Writes the frames of all cells, with centres relative to the root cell's corner, rounded to R. units: of each cell
// (cell_units.hpp).
template <class R>
void write_frames(const ListedTree& listed, std::span<const double> units, R* frames);
extern template void write_frames(const ListedTree& listed, std::span<const double> units, float* frames);
extern template void write_frames(const ListedTree& listed, std::span<const double> units, double* frames);

}  // namespace trellis
