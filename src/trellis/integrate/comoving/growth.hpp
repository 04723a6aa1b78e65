// Linear growth of small fluctuations of the matter density in an expanding space.
#pragma once

#include "trellis/integrate/comoving/cosmology.hpp"

namespace trellis {

// Growth factors of displacements, of first and second order, and their rates f = d ln D / d ln a. Matter alone
// clusters. D1 = a while matter outweighs all else (with radiation, a + 2/3 omega_r / omega_m; Meszaros 1974); D2 is
// negative, -3/7 D1^2 there (Bouchet et al. 1995).
struct Growth {
    double D1, f1, D2, f2;
};

// Integrates the differential equations of D1 and D2, to 1e-11. Throws InputError unless a > 0 and space expands until
// then.
Growth growth(const Cosmology& cosmology, double a);

}  // namespace trellis
