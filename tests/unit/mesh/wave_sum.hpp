// The slow oracle of the mesh: the long-range field by a direct sum over wavenumbers, in double precision.
#pragma once

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "trellis/mesh/mesh_grid.hpp"
#include "trellis/mesh/patch.hpp"
#include "trellis/mesh/split.hpp"

namespace trellis::wave_sum {

struct Charges {
    std::vector<Vec3<double>> positions;
    std::vector<double> strengths;
};

// Evenly scattered over the region; strengths between low and high.
inline Charges scattered(const Region& region, std::size_t number, double low, double high, unsigned seed = 1) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> share(0, 1), strength(low, high);
    Charges charges;
    for (std::size_t k = 0; k < number; ++k) {
        const Vec3<double> side = region.high - region.low;
        charges.positions.push_back(
            region.low + Vec3<double>{share(random) * side.x, share(random) * side.y, share(random) * side.z});
        charges.strengths.push_back(strength(random));
    }
    return charges;
}

// Potential and gradient at `place`, of all waves up to `waves` along each axis.
inline PotentialAndGradient<double> field(const Charges& charges, const Region& region, const S2Split& split,
                                          const Vec3<double>& place, int waves) {
    const Vec3<double> side = region.high - region.low;
    const double volume = side.x * side.y * side.z, pi = std::numbers::pi;
    PotentialAndGradient<double> sum{};
    for (double s : charges.strengths) sum[0] -= s * 4 * pi * split.second_moment() / volume;
    for (int i = -waves; i <= waves; ++i)
        for (int j = -waves; j <= waves; ++j)
            for (int l = -waves; l <= waves; ++l) {
                const Vec3<double> k{2 * pi * i / side.x, 2 * pi * j / side.y, 2 * pi * l / side.z};
                const double k2 = dot(k, k);
                if (k2 == 0) continue;
                const double green = 4 * pi * split.filter(std::sqrt(k2)) / (k2 * volume);
                if (green < 1e-9) continue;
                for (std::size_t n = 0; n < charges.positions.size(); ++n) {
                    const double phase = dot(k, place - charges.positions[n]), s = charges.strengths[n] * green;
                    sum[0] += s * std::cos(phase);
                    for (std::size_t axis = 0; axis < 3; ++axis) sum[axis + 1] -= s * k[axis] * std::sin(phase);
                }
            }
    return sum;
}

// Half the sum s_i s_j L(r_ij) of all pairs, images and particles themselves, after a strain by which points move by
// `strain` times their coordinate b along a.
inline double energy(const Charges& charges, const Region& region, const S2Split& split, int waves, std::size_t a,
                     std::size_t b, double strain) {
    const Vec3<double> side = region.high - region.low;
    const double volume = side.x * side.y * side.z * (a == b ? 1 + strain : 1), pi = std::numbers::pi;
    double total = 0;
    for (const double s : charges.strengths) total += s;
    double sum = -total * total * split.second_moment();
    for (int i = -waves; i <= waves; ++i)
        for (int j = -waves; j <= waves; ++j)
            for (int l = -waves; l <= waves; ++l) {
                const Vec3<double> k{2 * pi * i / side.x, 2 * pi * j / side.y, 2 * pi * l / side.z};
                Vec3<double> strained = k;
                strained[b] = a == b ? k[b] / (1 + strain) : k[b] - strain * k[a];
                const double k2 = dot(strained, strained);
                if (k2 == 0) continue;
                const double green = split.filter(std::sqrt(k2)) / k2;
                if (green < 1e-12) continue;
                double cosines = 0, sines = 0;
                for (std::size_t n = 0; n < charges.positions.size(); ++n) {
                    const double phase = dot(k, charges.positions[n]);
                    cosines += charges.strengths[n] * std::cos(phase);
                    sines += charges.strengths[n] * std::sin(phase);
                }
                sum += green * (cosines * cosines + sines * sines);
            }
    return 2 * pi / volume * sum;
}

}  // namespace trellis::wave_sum
