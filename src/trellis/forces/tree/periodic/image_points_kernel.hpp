// The inner loops of image_points.hpp. Compiled for each instruction set.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/forces/tree/periodic/image_points.hpp"

namespace trellis {

// Spreads the strengths of sources onto the points.
TRELLIS_DECLARE_VARIANTS(void spread_strengths(const PeriodicCube& cube, std::span<const Vec3<double>> positions,
                                               std::span<const double> strengths, double* on_points))

// The field of points at points: it depends on their distances along the three axes.
struct PointPairs {
    const std::size_t* distance;  // the number of the distance of each pair of points along an axis
    std::size_t distances;        // the number of different ones
    const double* blocks;         // [distances][distances][along][along]: the last two are points along z
};
// Adds scale times the field of all points to the field at the points with the numbers a and b along x and y.
TRELLIS_DECLARE_VARIANTS(void act_on_points(const PointPairs& pairs, std::size_t a, std::size_t b, double scale,
                                            const double* strengths, double* field))

// Adds the field between the points, times factors, to values and gradients.
struct FieldScale {
    double value, gradient;
};
TRELLIS_DECLARE_VARIANTS(void add_field(const PeriodicCube& cube, const double* field,
                                        std::span<const Vec3<double>> positions, const FieldScale& scale,
                                        double* values, Vec3<double>* gradients))

}  // namespace trellis
