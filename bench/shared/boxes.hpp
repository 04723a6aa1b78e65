// Periodic boxes for benchmarks of short-range forces.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <random>

#include "trellis/forces/sph/kernels/fields.hpp"
#include "trellis/particles/particle_set.hpp"

namespace bench {

// The melt of LAMMPS's in.lj before it melts: an fcc crystal of density 0.8442 and temperature 1.44; cells: unit cells
// along each side.
inline std::shared_ptr<trellis::ParticleSet> crystal(std::size_t cells) {
    constexpr double corners[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    const double spacing = std::cbrt(4 / 0.8442), side = spacing * static_cast<double>(cells);
    auto atoms = std::make_shared<trellis::ParticleSet>(4 * cells * cells * cells);
    atoms->set_region({{0, 0, 0}, {side, side, side}});
    std::mt19937_64 random(1);
    std::normal_distribution<double> thermal(0, std::sqrt(1.44));
    for (std::size_t k = 0; k < atoms->size(); ++k) {
        const std::size_t cell = k / 4;
        const double corner[3] = {static_cast<double>(cell % cells), static_cast<double>(cell / cells % cells),
                                  static_cast<double>(cell / cells / cells)};
        for (std::size_t axis = 0; axis < 3; ++axis)
            (*atoms)[trellis::fields::position][k][axis] = spacing * (corner[axis] + corners[k % 4][axis]);
        (*atoms)[trellis::fields::velocity][k] = {thermal(random), thermal(random), thermal(random)};
        (*atoms)[trellis::fields::mass][k] = 1;
    }
    return atoms;
}

// Gas of density 1 and sound speed 1 in slow motion: a lattice of side^3 particles, each displaced by up to a fifth of
// the spacing.
inline std::shared_ptr<trellis::ParticleSet> box_of_gas(std::size_t side) {
    auto gas = std::make_shared<trellis::ParticleSet>(side * side * side);
    gas->set_region({{0, 0, 0}, {1, 1, 1}});
    const auto x = (*gas)[trellis::fields::position], v = (*gas)[trellis::fields::velocity];
    const auto m = (*gas)[trellis::fields::mass], u = gas->add(trellis::fields::internal_energy);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> shake(-0.2, 0.2);
    const auto step = 1 / static_cast<double>(side);
    for (std::size_t k = 0; k < gas->size(); ++k) {
        const std::size_t cell[3] = {k % side, k / side % side, k / side / side};
        for (std::size_t axis = 0; axis < 3; ++axis)
            x[k][axis] = step * (static_cast<double>(cell[axis]) + 0.5 + shake(random));
        v[k] = {0.1 * std::sin(2 * std::numbers::pi * x[k].y), 0, 0};
        m[k] = 1 / static_cast<double>(gas->size());
        u[k] = 0.9;  // sound speed 1 for gamma 5/3
    }
    return gas;
}

}  // namespace bench
