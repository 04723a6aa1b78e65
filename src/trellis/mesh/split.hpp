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
        const double u = k * diameter / 2, u2 = u * u;
        // The series is good to 1e-13 where the closed form would lose as many digits to cancellation.
        const double cloud = u < 0.3 ? 1 - u2 / 15 * (1 - 3 * u2 / 112 * (1 - 4 * u2 / 270 * (1 - u2 * 5 / 528)))
                                     : 12 / (u2 * u2) * (2 - 2 * std::cos(u) - u * std::sin(u));
        return cloud * cloud;
    }
    // c in filter(k) = 1 - c k^2 + ...: the integral of the short-range part over space is 4 pi c.
    double second_moment() const { return diameter * diameter / 30; }
    // L(0): what a particle's own field adds to its potential.
    double at_zero() const { return 104.0 / 35 / diameter; }
};

}  // namespace trellis
