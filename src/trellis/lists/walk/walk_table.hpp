// The data that the walk reads of each cell, imported cells included, as one array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/lists/walk/opening.hpp"
#include "trellis/lists/walk/walk_kernel.hpp"
#include "trellis/tree/moments.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

// The size of a cell in the opening criterion (see Opening) and the radius of its sphere, both when the lists are made.
struct CellSize {
    double size, radius;

    // The size after the particles have moved: it changes in proportion to the radius.
    TRELLIS_HOST_DEVICE double now(double radius_now) const {
        return radius > 0 ? size * (radius_now / radius) : size + radius_now;
    }
};

// The size for Receiver::particle of a cell with this longest side and radius.
TRELLIS_HOST_DEVICE inline CellSize size_for_particles(double side, double radius, double theta) {
    return {std::max(side, theta * radius), radius};
}

// The range of the tolerances of the particles of a cell (see Opening).
struct ToleranceRange {
    double smallest = any_error, largest = any_error;
};

// Makes ranges those of each local cell, from the error that the particle in each row can bear; none from none.
void find_tolerances(const Tree& tree, std::span<const double> tolerance, std::vector<ToleranceRange>& ranges);

// Makes sizes those of each local cell; none for Receiver::cell, where they are the radii.
void find_sizes(const Tree& tree, const Moments& moments, const Opening& opening, std::vector<CellSize>& sizes);

// The cells of a tree, imported ones included, and what a walk reads of their contents.
struct WalkCells {
    std::span<const Cell> cells;
    std::span<const Sphere> spheres;
    std::span<const Bounds> bounds;  // of the local cells
    std::span<const double> weights;
    std::span<const CellSoftening> softenings;  // empty if these do not differ
};
WalkCells walk_cells(const Tree& tree, const Moments& moments);

class WalkTable {
  public:
    // sizes: one for each cell, from when the lists are made, or were; empty: the radii. tolerances: one for each local
    // cell; empty: any error. The table lies in space, until space is started again.
    WalkTable(const WalkCells& cells, std::span<const CellSize> sizes, std::span<const ToleranceRange> tolerances,
              Workspace& space);

    const Candidate* candidates() const { return candidates_; }

    // A local cell as a target; group: true if its particles share a list.
    WalkTarget target(std::size_t cell, bool group) const {
        const Sphere& sphere = cells_.spheres[cell];
        const ToleranceRange tolerance = tolerances_.empty() ? ToleranceRange{} : tolerances_[cell];
        return {.bounds = cells_.bounds[cell],
                .centre = sphere.centre,
                .radius = sphere.radius,
                .smallest_tolerance = tolerance.smallest,
                .largest_tolerance = tolerance.largest,
                .group = group,
                .variation = variation(cell)};
    }

  private:
    double variation(std::size_t cell) const {
        return cells_.softenings.empty() ? 0 : cells_.softenings[cell].variation();
    }

    WalkCells cells_;
    std::span<const ToleranceRange> tolerances_;
    Candidate* candidates_;  // one for each cell
};

}  // namespace trellis
