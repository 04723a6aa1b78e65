#include "trellis/lists/walk_table.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

std::vector<CellSize> opening_sizes(const Tree& tree, const Moments& moments, const Opening& opening) {
    std::vector<CellSize> sizes(tree.own_cells());
    parallel_for(sizes.size(), [&](std::size_t k) {
        const double radius = moments.spheres()[k].radius;
        sizes[k] = opening.receiver == Receiver::particle
                       ? size_for_particles(tree.side(tree.cells()[k]), radius, opening.theta)
                       : CellSize{radius, radius};
    });
    return sizes;
}

WalkTable::WalkTable(const Tree& tree, const Moments& moments, std::span<const CellSize> sizes,
                     std::span<const double> tolerance, Workspace& space)
    : moments_(moments) {
    const auto cells = tree.cells();
    space.start(Workspace::bytes_of<Range>(tree.own_cells()) + Workspace::bytes_of<Candidate>(cells.size()));
    tolerances_ = space.take<Range>(tree.own_cells());
    candidates_ = space.take<Candidate>(cells.size());
    find_tolerances(tree, tolerance);
    parallel_for(cells.size(), [&](std::size_t k) {
        const Sphere& sphere = moments.spheres()[k];
        const double kind = cells[k].is_closed() ? closed_cell : cells[k].is_leaf() ? leaf_cell : inner_cell;
        candidates_[k] = {sphere.centre, sizes[k].now(sphere.radius), moments.weights()[k], kind, cells[k].child, {}};
    });
}

void WalkTable::find_tolerances(const Tree& tree, std::span<const double> tolerance) {
    const auto cells = tree.cells();
    const auto levels = tree.levels();
    if (tolerance.empty()) {
        std::fill_n(tolerances_, tree.own_cells(), Range{any_error, any_error});
        return;
    }
    for (std::size_t level = levels.size() - 1; level-- > 0;) {
        parallel_for(levels[level + 1] - levels[level], [&](std::size_t k) {
            const std::size_t index = levels[level] + k;
            const Cell& cell = cells[index];
            if (cell.is_leaf()) {
                const auto own = std::ranges::minmax(tolerance.subspan(cell.first, cell.count));
                tolerances_[index] = {own.min, own.max};
            } else {
                const Range left = tolerances_[cell.child], right = tolerances_[cell.child + 1];
                tolerances_[index] = {std::min(left.smallest, right.smallest), std::max(left.largest, right.largest)};
            }
        });
    }
}

}  // namespace trellis
