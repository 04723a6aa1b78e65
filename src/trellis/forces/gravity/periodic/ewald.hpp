// The lattice sum of a box that is periodic along all axes (Ewald 1921; Hernquist, Bouchet & Suto 1991), in double
// precision: the oracle for gravity, and for charges, in periodic boxes. Its sides may differ. Boxes that are open
// along one or two axes are in open_lattice.hpp: these have no background, and soften all images.
//
// f(d) = sum over n of 1 / sqrt(|d + n|^2 + w), n running over all vectors of whole periods, minus its mean: each
// source has a background of the opposite sum, so that the mean of f over the box is zero if w is. w softens; for
// images beyond the nearest (of a cube: the nearest 27) the series 1 / r - w / (2 r^3) is taken, whose error is below
// (w / r^2)^2 of their force. The sum over 1 / r^3 (its mean is infinite) is taken without the wave of infinite length,
// which adds nothing to forces.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "trellis/base/vec.hpp"
#include "trellis/forces/tree/periodic/periodic_cube.hpp"

namespace trellis {

// f and its gradient.
struct LatticeField {
    double value = 0;
    Vec3<double> gradient{0, 0, 0};
};

// Sources, one a row.
struct LatticeSources {
    std::span<const Vec3<double>> positions;  // in units of length
    std::span<const double> strengths;
    std::span<const double> softenings;  // one for each source, in units of length; empty: only the target's counts
};

// The sum over sources of strength times f (source - target), in units of length; the relative error is about 1e-11.
// sides: infinite along open axes. widening: w at this target, in units of length squared, to which half the square of
// a source's softening is added. self: the row of the source that is the target, of which only the images act; -1: the
// target is not among the sources.
LatticeField lattice_sum(const LatticeSources& sources, const Vec3<double>& target, double widening, std::int64_t self,
                         const Vec3<double>& sides);

// f in a cube of side 1 that is periodic along these axes, without the images that are at most one period away along
// each, for positions within 1.25 periods along each axis: the smooth function points - w cubes / 2.
struct FarLattice {
    double points, cubes;
};
void far_lattice(std::span<const Vec3<double>> positions, const std::array<bool, 3>& periodic,
                 std::span<FarLattice> values);

}  // namespace trellis
