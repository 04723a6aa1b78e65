#include "trellis/lists/walk/walk_table.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

void find_tolerances(const Tree& tree, std::span<const double> tolerance, std::vector<ToleranceRange>& ranges) {
    ranges.resize(tolerance.empty() ? 0 : tree.local_cells());
    if (ranges.empty()) return;
    const auto cells = tree.cells();
    const auto levels = tree.levels();
    const auto order = tree.order();
    for (std::size_t level = levels.size() - 1; level-- > 0;)
        parallel_for(levels[level + 1] - levels[level], [&](std::size_t k) {
            const std::size_t index = levels[level] + k;
            const Cell& cell = cells[index];
            if (cell.is_leaf()) {
                const auto own = std::ranges::minmax(order.subspan(cell.first, cell.count), {},
                                                     [&](std::uint32_t row) { return tolerance[row]; });
                ranges[index] = {tolerance[own.min], tolerance[own.max]};
            } else {
                const ToleranceRange left = ranges[cell.child], right = ranges[cell.child + 1];
                ranges[index] = {std::min(left.smallest, right.smallest), std::max(left.largest, right.largest)};
            }
        });
}

void find_sizes(const Tree& tree, const Moments& moments, const Opening& opening, std::vector<CellSize>& sizes) {
    sizes.resize(opening.receiver == Receiver::particle ? tree.local_cells() : 0);
    parallel_for(sizes.size(), [&](std::size_t k) {
        sizes[k] = size_for_particles(tree.side(tree.cells()[k]), moments.spheres()[k].radius, opening.theta);
    });
}

WalkCells walk_cells(const Tree& tree, const Moments& moments) {
    return {tree.cells(), moments.spheres(), moments.bounds(), moments.weights(), moments.softenings()};
}

WalkTable::WalkTable(const WalkCells& cells, std::span<const CellSize> sizes,
                     std::span<const ToleranceRange> tolerances, Workspace& space)
    : cells_(cells), tolerances_(tolerances) {
    const std::size_t count = cells.cells.size();
    space.start(Workspace::bytes_of<Candidate>(count));
    candidates_ = space.take<Candidate>(count);
    parallel_for(count, [&](std::size_t k) {
        const Cell& cell = cells.cells[k];
        const Sphere& sphere = cells.spheres[k];
        const double kind = cell.is_closed() ? closed_cell : cell.is_leaf() ? leaf_cell : inner_cell;
        const double size = sizes.empty() ? sphere.radius : sizes[k].now(sphere.radius);
        candidates_[k] = {sphere.centre, size, cells.weights[k], kind, variation(k), cell.child, {}};
    });
}

}  // namespace trellis
