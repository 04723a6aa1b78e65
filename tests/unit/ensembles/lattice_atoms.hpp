// Atoms on a lattice for tests of ensembles.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Atoms of random masses and velocities, slightly displaced, in open space or in a box that is periodic along x or all
// axes.
inline ParticleSet lattice_atoms(std::size_t count, int periodic_axes, unsigned seed, double spacing = 1.12) {
    using namespace fields;
    ParticleSet atoms(count);
    std::mt19937 draw(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0.7, 1.3);
    const auto side = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(count)) - 1e-9));
    const double box = static_cast<double>(side) * spacing;
    constexpr double open = std::numeric_limits<double>::infinity();
    if (periodic_axes == 1) atoms.set_region({{-1, -open, -open}, {box - 1, open, open}});
    if (periodic_axes == 3) atoms.set_region({{-1, -1, -1}, {box - 1, box - 1, box - 1}});
    for (std::size_t k = 0; k < count; ++k) {
        const Vec3<double> place{static_cast<double>(k % side), static_cast<double>(k / side % side),
                                 static_cast<double>(k / side / side)};
        atoms[position][k] = spacing * place + 0.03 * Vec3<double>{normal(draw), normal(draw), normal(draw)};
        atoms[velocity][k] = {normal(draw), normal(draw), normal(draw)};
        atoms[mass][k] = uniform(draw);
    }
    atoms.wrap_positions();
    return atoms;
}

}  // namespace trellis
