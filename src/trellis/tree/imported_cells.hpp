// Parts of other ranks' trees, put behind the local one (paper, section 2: local essential trees). They act, but are no
// targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/tree/contents.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

struct ImportedCells {
    // The cells level by level, the roots first. A closed cell has no child and no particles. Children are counted from
    // the first imported cell, slots from the first imported particle. Depths mean nothing.
    std::vector<Cell> cells;
    std::vector<std::uint32_t> levels;  // the first cell of each level; the last entry is the number of cells

    std::vector<Sphere> spheres;  // one a cell
    std::vector<double> sizes;    // one a cell, for the opening criterion, when lists are made; empty: the radius

    // Closed cells, in their order: sum of absolute weights, sums of the components after the position's, and
    // moments beyond those.
    std::vector<std::uint32_t> closed;
    std::vector<double> closed_weights;
    std::vector<double> closed_sums;  // those of one cell side by side
    std::vector<std::byte> closed_moments;
    std::vector<CellSoftening> closed_softenings;  // none if no component is a softening

    std::vector<std::vector<double>> components;  // of the particles, as in SortedColumns: those of sources only

    std::size_t slots() const { return components.empty() ? 0 : components[0].size(); }
};

}  // namespace trellis
