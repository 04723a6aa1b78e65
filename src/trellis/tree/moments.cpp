#include "trellis/tree/moments.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

void include(Bounds& bounds, const Vec3<double>& low, const Vec3<double>& high) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        bounds.low[axis] = std::min(bounds.low[axis], low[axis]);
        bounds.high[axis] = std::max(bounds.high[axis], high[axis]);
    }
}

double farthest_corner(const Bounds& bounds, const Vec3<double>& centre) {
    const Vec3<double> below = centre - bounds.low, above = bounds.high - centre;
    const Vec3<double> reach{std::max(below.x, above.x), std::max(below.y, above.y), std::max(below.z, above.z)};
    return std::sqrt(dot(reach, reach));
}

}  // namespace

void Moments::compute(const Tree& tree, const SortedColumns& columns, std::size_t weight) {
    const auto cells = tree.cells();
    spheres_.resize(cells.size());
    bounds_.resize(cells.size());
    weights_.resize(cells.size());
    sums_.resize(columns.component_count() - 3);
    for (auto& sum : sums_) sum.resize(cells.size());
    const auto levels = tree.levels();
    for (std::size_t level = levels.size() - 1; level-- > 0;) {
        parallel_for(levels[level + 1] - levels[level], [&](std::size_t k) {
            const std::size_t index = levels[level] + k;
            if (cells[index].is_leaf())
                compute_leaf(cells[index], index, columns, columns.component(weight));
            else
                join_children(cells[index], index);
        });
    }
}

void Moments::compute_leaf(const Cell& cell, std::size_t index, const SortedColumns& columns, const double* weight) {
    const double *x = columns.component(0), *y = columns.component(1), *z = columns.component(2);
    // Relative to the first particle: no digits are lost far from the origin.
    const Vec3<double> origin{x[cell.first], y[cell.first], z[cell.first]};
    Vec3<double> weighted{0, 0, 0}, plain{0, 0, 0};
    double total = 0;
    for (std::uint32_t s = cell.first; s < cell.end(); ++s) {
        const Vec3<double> offset = Vec3<double>{x[s], y[s], z[s]} - origin;
        total += std::abs(weight[s]);
        weighted += std::abs(weight[s]) * offset;
        plain += offset;
    }
    const Vec3<double> centre = origin + (total > 0 ? weighted / total : plain / static_cast<double>(cell.count));
    double radius2 = 0;
    bounds_[index] = {origin, origin};
    for (std::uint32_t s = cell.first; s < cell.end(); ++s) {
        const Vec3<double> place{x[s], y[s], z[s]}, offset = place - centre;
        radius2 = std::max(radius2, dot(offset, offset));
        include(bounds_[index], place, place);
    }
    spheres_[index] = {centre, std::sqrt(radius2)};
    weights_[index] = total;
    for (std::size_t c = 0; c < sums_.size(); ++c) {
        const double* values = columns.component(c + 3);
        double sum = 0;
        for (std::uint32_t s = cell.first; s < cell.end(); ++s) sum += values[s];
        sums_[c][index] = sum;
    }
}

void Moments::join_children(const Cell& cell, std::size_t index) {
    const std::size_t left = cell.child, right = left + 1;
    const double total = weights_[left] + weights_[right];
    const Vec3<double> apart = spheres_[right].centre - spheres_[left].centre;
    const double share = total > 0 ? weights_[right] / total : 0.5;
    const double distance = std::sqrt(dot(apart, apart));
    const Vec3<double> centre = spheres_[left].centre + share * apart;
    bounds_[index] = bounds_[left];
    include(bounds_[index], bounds_[right].low, bounds_[right].high);
    // The sphere around both children's spheres, or the one around the box; the factor covers rounding.
    const double around_spheres =
        std::max(share * distance + spheres_[left].radius, (1 - share) * distance + spheres_[right].radius);
    const double radius = std::min(around_spheres, farthest_corner(bounds_[index], centre));
    spheres_[index] = {centre, radius * (1 + 1e-15)};
    weights_[index] = total;
    for (auto& sum : sums_) sum[index] = sum[left] + sum[right];
}

}  // namespace trellis
