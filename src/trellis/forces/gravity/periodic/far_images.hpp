// The field in a periodic cube of all images beyond the nearest (27 if it is periodic along all axes, 9 or 3 if it is
// open along some), and of the background if there is one: see FarLattice.
//
// It is smooth: between Chebyshev points along each axis polynomials give it, to 2e-7 of m / L^2 for one source. Masses
// are spread onto the points, points act on points, and the field is read off between them: a fast multipole method
// with one cell whose expansions are polynomials (Fong & Darve 2009). Potential and force agree exactly, and so do the
// two directions of a pair.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "trellis/forces/gravity/periodic/ewald.hpp"

namespace trellis {

// A cube with the period's side, which repeats along one axis or more.
struct PeriodicCube {
    Vec3<double> centre{0, 0, 0};
    double side = 1;
    std::array<bool, 3> periodic = all_periodic;

    // The distance from the centre along each axis within which particles may be, so that they need not be wrapped at
    // each step.
    double reach() const { return 0.625 * side; }
};

class FarImages {
  public:
    // The number of points along each axis, and of all.
    static constexpr std::size_t along = 12, points = along * along * along;

    // The strengths of sources, spread onto the points.
    static std::vector<double> spread(const PeriodicCube& cube, std::span<const Vec3<double>> positions,
                                      std::span<const double> strengths);

    // Sets the sources, spread onto the points: their strengths, and strengths times widenings (see FarLattice), which
    // add to the widenings of the targets. targets_differ: targets have widenings of their own.
    void act(const PeriodicCube& cube, std::span<const double> strengths, std::span<const double> widened,
             bool targets_differ);

    // Adds scale times the field of all sources to values and gradients at these positions. widenings: one for each
    // target; empty: 0.
    void add(std::span<const Vec3<double>> positions, std::span<const double> widenings, double scale,
             std::span<double> values, std::span<Vec3<double>> gradients) const;

  private:
    using Points = std::vector<double>;

    void add_part(const Points& field, std::span<const Vec3<double>> positions, double scale, std::span<double> values,
                  std::span<Vec3<double>> gradients) const;

    PeriodicCube cube_;
    Points field_ = Points(points);        // at the points, in units of the side
    Points by_widening_ = Points(points);  // what a target's widening adds, in units of the side
};

}  // namespace trellis
