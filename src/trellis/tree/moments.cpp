#include "trellis/tree/moments.hpp"

#include "trellis/base/parallel.hpp"

namespace trellis {

void Moments::compute(const Tree& tree, const SortedColumns& columns, std::size_t weight) {
    const auto cells = tree.cells();
    spheres_.resize(cells.size());
    bounds_.resize(cells.size());
    weights_.resize(cells.size());
    sums_.resize(columns.component_count() - 3);
    for (auto& sum : sums_) sum.resize(cells.size());
    const auto levels = tree.levels();
    const double *x = columns.component(0), *y = columns.component(1), *z = columns.component(2);
    const double* weights = columns.component(weight);
    const auto place = [=](std::uint32_t slot) { return Vec3<double>{x[slot], y[slot], z[slot]}; };
    const auto weight_of = [=](std::uint32_t slot) { return weights[slot]; };
    for (std::size_t level = levels.size() - 1; level-- > 0;) {
        parallel_for(levels[level + 1] - levels[level], [&](std::size_t k) {
            const std::size_t index = levels[level] + k;
            const Cell& cell = cells[index];
            if (cell.is_leaf()) {
                set(index, contents_of_leaf(cell, place, weight_of));
                sum_leaf(cell, index, columns);
            } else {
                set(index, join(contents(cell.child), contents(cell.child + 1)));
                for (auto& sum : sums_) sum[index] = sum[cell.child] + sum[cell.child + 1];
            }
        });
    }
}

void Moments::set(std::size_t cell, const CellContents& contents) {
    spheres_[cell] = contents.sphere;
    bounds_[cell] = contents.bounds;
    weights_[cell] = contents.weight;
}

void Moments::sum_leaf(const Cell& cell, std::size_t index, const SortedColumns& columns) {
    for (std::size_t c = 0; c < sums_.size(); ++c) {
        const double* values = columns.component(c + 3);
        double sum = 0;
        for (std::uint32_t s = cell.first; s < cell.end(); ++s) sum += values[s];
        sums_[c][index] = sum;
    }
}

}  // namespace trellis
