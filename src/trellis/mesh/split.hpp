// The split of 1/r between mesh and pairs: 1/r = L(r) + short range, where L is smooth and is left to the mesh.
#pragma once

#include <cmath>

namespace trellis {

// L is the potential between two spheres of this diameter whose density falls linearly to 0 at the surface (S2; Hockney
// & Eastwood 1981, section 8-2; GreeM: Ishiyama, Fukushige & Makino 2009). From r = diameter on, L is 1/r exactly.
struct S2Split {
    double diameter = 0;

    // The Fourier transform of L over that of 1/r, 4 pi / k^2, at a wavenumber k.
    double filter(double k) const {
        const double cloud = cloud_of(k * diameter / 2);
        return cloud * cloud;
    }
    // k times the derivative of the filter.
    double filter_slope(double k) const {
        const double u = k * diameter / 2, u2 = u * u;
        const double cloud = cloud_of(u);
        const double slope = u < 0.3 ? -2 * u2 / 15 * (1 - 3 * u2 / 56 * (1 - u2 / 45 * (1 - u2 * 5 / 396)))
                                     : 12 / (u2 * u) * (std::sin(u) - u * std::cos(u)) - 4 * cloud;
        return 2 * cloud * slope;
    }
    // c in filter(k) = 1 - c k^2 + ...: the integral of the short-range part over space is 4 pi c.
    double second_moment() const { return diameter * diameter / 30; }
    // L(0): what a particle's own field adds to its potential.
    double at_zero() const { return 104.0 / 35 / diameter; }

  private:
    // The Fourier transform of one sphere; u: the wavenumber times its radius. The series is good to 1e-13 where the
    // closed form would lose as many digits to cancellation.
    static double cloud_of(double u) {
        const double u2 = u * u;
        return u < 0.3 ? 1 - u2 / 15 * (1 - 3 * u2 / 112 * (1 - 4 * u2 / 270 * (1 - u2 * 5 / 528)))
                       : 12 / (u2 * u2) * (2 - 2 * std::cos(u) - u * std::sin(u));
    }
};

}  // namespace trellis
