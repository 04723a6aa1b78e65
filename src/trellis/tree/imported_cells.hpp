// Parts of other ranks' trees, appended to the local one (paper, section 2: local essential trees). They are sources,
// but not targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/tree/contents.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

struct ImportedCells {
    // The cells level by level, the roots first. A closed cell has no child and no particles. Children are counted from
    // the first imported cell, slots from the first imported particle. Depths are not set.
    std::vector<Cell> cells;
    std::vector<std::uint32_t> levels;  // the first cell of each level; the last entry is the number of cells

    std::vector<Sphere> spheres;  // of each cell
    std::vector<double> sizes;    // of each cell when lists are made, for the opening criterion; empty: the radii

    // Closed cells in the order of their numbers: sums of absolute weights, sums of the components after the position,
    // and moments beyond those.
    std::vector<std::uint32_t> closed;
    std::vector<double> closed_weights;
    std::vector<double> closed_sums;  // the sums of one cell side by side
    std::vector<std::byte> closed_moments;
    std::vector<CellSoftening> closed_softenings;  // empty if no component is a softening

    std::vector<std::vector<double>> components;  // source components of the particles, as in SortedColumns

    std::size_t slots() const { return components.empty() ? 0 : components[0].size(); }
};

}  // namespace trellis
