#include "trellis/tree/moments.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/parallel.hpp"

namespace trellis {

void Moments::compute(const Tree& tree, const SortedColumns& columns, std::size_t weight,
                      std::optional<std::size_t> softening) {
    const auto cells = tree.cells();
    weight_ = weight;
    softening_ = softening;
    softenings_.resize(softening ? cells.size() : 0);
    spheres_.resize(cells.size());
    bounds_.resize(tree.local_cells());
    weights_.resize(cells.size());
    sums_.resize(columns.component_count() - 3);
    for (auto& sum : sums_) sum.resize(cells.size());
    const auto levels = tree.levels();
    const double *x = columns.component(0), *y = columns.component(1), *z = columns.component(2);
    const double* weights = columns.component(weight);
    const auto position_of = [=](std::uint32_t slot) { return Vec3<double>{x[slot], y[slot], z[slot]}; };
    const auto weight_of = [=](std::uint32_t slot) { return weights[slot]; };
    for (std::size_t level = levels.size() - 1; level-- > 0;) {
        parallel_for(levels[level + 1] - levels[level], [&](std::size_t k) {
            const std::size_t index = levels[level] + k;
            const Cell& cell = cells[index];
            if (cell.is_leaf()) {
                set(index, contents_of_leaf(cell, position_of, weight_of));
            } else {
                set(index, join(contents(cell.child), contents(cell.child + 1)));
            }
            sum(cell, index, columns, sums_.size());
            if (softening_) soften(index, *softening_, softening_of(cell, columns, *softening_));
        });
    }
}

void Moments::set(std::size_t cell, const CellContents& contents) {
    spheres_[cell] = contents.sphere;
    bounds_[cell] = contents.bounds;
    weights_[cell] = contents.weight;
}

// Sums the first `count` components after the position of a cell.
void Moments::sum(const Cell& cell, std::size_t index, const SortedColumns& columns, std::size_t count) {
    for (std::size_t c = 0; c < count; ++c) {
        if (cell.is_leaf()) {
            const double* values = columns.component(c + 3);
            double sum = 0;
            for (std::uint32_t s = cell.first; s < cell.end(); ++s) sum += values[s];
            sums_[c][index] = sum;
        } else {
            sums_[c][index] = sums_[c][cell.child] + sums_[c][cell.child + 1];
        }
    }
}

CellSoftening Moments::softening_of(const Cell& cell, const SortedColumns& columns, std::size_t component) const {
    if (!cell.is_leaf())
        return join(softenings_[cell.child], weights_[cell.child], softenings_[cell.child + 1],
                    weights_[cell.child + 1]);
    const double *softenings = columns.component(component), *weights = columns.component(weight_);
    return softening_of_leaf(
        cell, [=](std::uint32_t slot) { return softenings[slot]; }, [=](std::uint32_t slot) { return weights[slot]; });
}

void Moments::soften(std::size_t cell, std::size_t component, const CellSoftening& softening) {
    softenings_[cell] = softening;
    sums_[component - 3][cell] = softening.mean;
}

void Moments::add_imported(const Tree& tree, const ImportedCells& imported, const SortedColumns& columns) {
    const auto cells = tree.cells();
    const std::size_t own = tree.local_cells(), summed = imported.components.size() - 3;
    spheres_.resize(cells.size());
    weights_.resize(cells.size());
    for (auto& sum : sums_) sum.resize(cells.size());
    if (softening_) softenings_.resize(cells.size());
    std::ranges::copy(imported.spheres, spheres_.begin() + static_cast<std::ptrdiff_t>(own));
    for (std::size_t k = 0; k < imported.closed.size(); ++k) {
        weights_[own + imported.closed[k]] = imported.closed_weights[k];
        for (std::size_t c = 0; c < summed; ++c)
            sums_[c][own + imported.closed[k]] = imported.closed_sums[k * summed + c];
        if (softening_) soften(own + imported.closed[k], *softening_, imported.closed_softenings[k]);
    }
    const auto levels = tree.imported_levels();
    const double* weights = columns.component(weight_);
    for (std::size_t level = levels.size() - 1; level-- > 0;)
        parallel_for(levels[level + 1] - levels[level], [&](std::size_t k) {
            const std::size_t index = levels[level] + k;
            const Cell& cell = cells[index];
            if (cell.is_closed()) return;
            double total = cell.is_leaf() ? 0 : weights_[cell.child] + weights_[cell.child + 1];
            if (cell.is_leaf())
                for (std::uint32_t s = cell.first; s < cell.end(); ++s) total += std::abs(weights[s]);
            weights_[index] = total;
            sum(cell, index, columns, summed);
            if (softening_) soften(index, *softening_, softening_of(cell, columns, *softening_));
        });
}

}  // namespace trellis
