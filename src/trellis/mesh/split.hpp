// How 1/r is split between mesh and pairs: 1/r = L(r) + short range, where L is smooth and is left to the mesh.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace trellis {

// gaussian: L(r) = erf(r / 2 r_s) / r, Ewald's; the mesh filters with exp(-k^2 r_s^2).
// s2: L is the potential between two spheres of diameter a whose density falls linearly to 0 (Hockney & Eastwood 1981,
// section 8-2: S2); beyond r = a, L is 1/r exactly. GreeM's (Ishiyama, Fukushige & Makino 2009).
enum class SplitShape : std::uint8_t { gaussian, s2 };

struct Split {
    SplitShape shape = SplitShape::gaussian;
    double length = 0;  // r_s or a

    // The Fourier transform of L over that of 1/r, 4 pi / k^2, at a wavenumber k.
    double filter(double k) const {
        if (shape == SplitShape::gaussian) return std::exp(-(k * length) * (k * length));
        const double u = k * length / 2;
        // The series leaves 1e-13 where the closed form would lose as much to cancellation.
        const double u2 = u * u;
        const double cloud = u < 0.3 ? 1 - u2 / 15 * (1 - 3 * u2 / 112 * (1 - 4 * u2 / 270 * (1 - u2 * 5 / 528)))
                                     : 12 / (u2 * u2) * (2 - 2 * std::cos(u) - u * std::sin(u));
        return cloud * cloud;
    }
    // c in filter(k) = 1 - c k^2 + ...: the integral of the short-range part over space is 4 pi c.
    double second_moment() const { return shape == SplitShape::gaussian ? length * length : length * length / 30; }
    // L(0): what a particle's own field adds to its potential.
    double at_zero() const {
        return shape == SplitShape::gaussian ? 1 / (std::sqrt(std::numbers::pi) * length) : 104.0 / 35 / length;
    }
};

}  // namespace trellis
