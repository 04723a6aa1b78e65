// Chebyshev points in a periodic cube, by which all images beyond the nearest act (27 if it is periodic along all axes,
// 9 or 3 if it is open along some).
//
// Their field is smooth: between Chebyshev points along each axis polynomials give it, that of 1 / r to 2e-7 of m / L^2
// for one source. Strengths are spread onto the points, points act on points, and the field is read off between them: a
// fast multipole method with one cell whose expansions are polynomials (Fong & Darve 2009). Potential and force agree
// exactly, and so do the two directions of a pair.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "trellis/base/vec.hpp"
#include "trellis/forces/tree/periodic/periodic_cube.hpp"
#include "trellis/ranks/comm/async_reduction.hpp"

namespace trellis {

// The number of points along each axis, and of all.
inline constexpr std::size_t points_along = 12, points_of_cube = points_along * points_along * points_along;

// A value at each point.
using PointValues = std::array<double, points_of_cube>;

// The strengths of sources, spread onto the points.
PointValues spread_onto_points(const PeriodicCube& cube, std::span<const Vec3<double>> positions,
                               std::span<const double> strengths);

// The sum of such values over all ranks, under way.
PointValues sum_of_points(PointValues a, const PointValues& b);
using SumOfPoints = AsyncReduction<PointValues, decltype(&sum_of_points)>;

// The field of each point at each other. It depends on their distances along the three axes, and few distances differ.
class PointTable {
  public:
    // The different distances of two points along an axis, in units of the side.
    static const std::vector<double>& distances();
    // The displacements by one of them along each axis, that along z running fastest.
    static std::vector<Vec3<double>> displacements();

    // field: at each displacement.
    explicit PointTable(std::span<const double> field);

    // Adds scale times the field of these strengths to that at the points.
    void add(double scale, const PointValues& strengths, PointValues& field) const;

  private:
    std::vector<double> blocks_;  // see PointPairs
};

// Adds scale times the field at the points to the values at these positions, and its gradient to their gradients.
void add_between_points(const PeriodicCube& cube, const PointValues& field, std::span<const Vec3<double>> positions,
                        double scale, std::span<double> values, std::span<Vec3<double>> gradients);

}  // namespace trellis
