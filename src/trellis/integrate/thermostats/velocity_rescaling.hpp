// The equations of a thermostat that rescales all velocities by random factors, for one set of particles or for many:
// CSVR, canonical sampling through velocity rescaling (Bussi, Donadio & Parrinello 2007).
#pragma once

#include <cmath>
#include <cstdint>

#include "trellis/integrate/thermostats/langevin_noise.hpp"

namespace trellis {

// The sum of the squares of n normal numbers, n >= 1: twice a number of the gamma distribution of shape n / 2, drawn by
// the rejection of Marsaglia & Tsang (2000). It depends on the seed and the call alone.
TRELLIS_HOST_DEVICE __attribute__((always_inline)) inline double sum_of_squares(double n, std::uint64_t seed,
                                                                                std::uint64_t call) {
    std::uint64_t draw = 1;  // draw 0 is that of rescaling_factor
    if (n < 2) {
        const double single = langevin_noise<double, std::uint64_t>(seed, draw, call).x;
        return single * single;
    }
    const double d = 0.5 * n - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;; ++draw) {
        const Vec3<double> normal = langevin_noise<double, std::uint64_t>(seed, draw, call);
        const double root = 1 + c * normal.x, v = root * root * root;
        if (!(v > 0)) continue;
        // exp of this is uniform between 0 and 1
        const double log_uniform = -0.5 * (normal.y * normal.y + normal.z * normal.z);
        if (log_uniform < 0.5 * normal.x * normal.x + d - d * v + d * std::log(v)) return 2 * d * v;
    }
}

// The factor of velocities that takes a kinetic energy above 0, of `freedom` degrees of freedom, over `time` (equation
// A7, with the sign of A8). temperature: k T, an energy.
TRELLIS_HOST_DEVICE __attribute__((always_inline)) inline double rescaling_factor(double kinetic, double freedom,
                                                                                  double temperature, double time,
                                                                                  double relaxation_time,
                                                                                  std::uint64_t seed,
                                                                                  std::uint64_t call) {
    const double kept = std::exp(-time / relaxation_time);
    const double drawn = -std::expm1(-time / relaxation_time) * 0.5 * temperature / kinetic;
    const double first = langevin_noise<double, std::uint64_t>(seed, std::uint64_t{0}, call).x;
    const double others = freedom > 1 ? sum_of_squares(freedom - 1, seed, call) : 0;
    const double along = std::sqrt(kept) + std::sqrt(drawn) * first;
    const double size = std::sqrt(along * along + drawn * others);
    return along < 0 ? -size : size;
}

}  // namespace trellis
