// The lattice sums of boxes that are periodic along one axis (a wire) or two (a sheet) and open along the others, in
// double precision, to about 1e-11.
//
// f(d) = sum over n of 1 / sqrt(|d + n|^2 + w), all n of whole periods, without the constant by which it is infinite:
// far from a wire of period a it goes to -(2 / a) ln(distance / a), far from a sheet of periods a and b to
// -(2 pi / (a b)) distance. There is no background, and w softens all images: it counts as a distance squared along the
// open axes.
//
// A wire is summed over its nearest images, and by the Euler-Maclaurin formula beyond. A sheet is one wire beside
// another: the nearest as they are, those beyond as homogeneous lines, since the waves along a wire fall as exp(-2 pi
// distance / a); the sum over all lines is a logarithm of sines (Lekner 1991).
#pragma once

#include "trellis/base/vec.hpp"

namespace trellis {

// f, its gradient by d, and minus twice its derivative by w (the sum over 1 / r^3 at w = 0).
struct OpenLatticeField {
    double value = 0;
    Vec3<double> gradient{0, 0, 0};
    double cubes = 0;
};

// sides: infinite along open axes, one or two of them. Images at most `left_out` periods away along each periodic axis
// are left out; -1: all images count.
OpenLatticeField open_lattice(const Vec3<double>& d, double w, const Vec3<double>& sides, int left_out);

}  // namespace trellis
