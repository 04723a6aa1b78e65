// The field of 1 / r in a periodic cube of all images beyond the nearest, and of the background if there is one: see
// FarLattice.
#pragma once

#include <span>

#include "trellis/forces/tree/periodic/image_points.hpp"

namespace trellis {

class FarImages {
  public:
    // Sets the sources, spread onto the points: their strengths, and strengths times widenings (see FarLattice), which
    // add to the widenings of the targets. targets_differ: targets have widenings of their own.
    void act(const PeriodicCube& cube, const PointValues& strengths, const PointValues& widened, bool targets_differ);

    // Adds scale times the field of all sources to values and gradients at these positions. widenings: one for each
    // target; empty: 0.
    void add(std::span<const Vec3<double>> positions, std::span<const double> widenings, double scale,
             std::span<double> values, std::span<Vec3<double>> gradients) const;

  private:
    PeriodicCube cube_;
    PointValues field_{};        // at the points, in units of the side
    PointValues by_widening_{};  // what a target's widening adds, in units of the side
};

}  // namespace trellis
