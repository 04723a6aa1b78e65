// A gas for tests: a particle set with the columns of a gas, and smoothing lengths found by bisection.
#pragma once

#include "trellis/forces/sph/equation_of_state.hpp"
#include "trellis/forces/sph/kernels/density.hpp"
#include "trellis/forces/sph/kernels/hydro.hpp"
#include "trellis/forces/sph/smoothing_length.hpp"
#include "unit/forces/sph/all_pairs.hpp"
#include "unit/particle_models.hpp"

namespace trellis {

using namespace fields;

// v with its first Dim components; the remaining ones are 0.
template <int Dim>
Vec3<double> flattened(const Vec3<double>& v) {
    return {v.x, Dim > 1 ? v.y : 0, Dim > 2 ? v.z : 0};
}

inline void add_gas_columns(ParticleSet& particles) {
    particles.add(smoothing_length);
    particles.add(inverse_length);
    particles.add(density);
    particles.add(internal_energy);
    particles.add(pressure);
    particles.add(sound_speed);
    particles.add(viscosity);
    particles.add(force_weight);
}

// Particles at random in a unit box of Dim dimensions, with random masses, velocities and internal energies. In one
// dimension each particle has a stretch of its own: at random, too many would be too near each other.
template <int Dim>
ParticleSet random_gas(std::size_t size, std::uint64_t seed) {
    models::Random random(seed);
    ParticleSet gas = models::particles_at(size, seed, [&](std::size_t row) {
        const double stretch = (static_cast<double>(row) + random.uniform(0.2, 0.8)) / static_cast<double>(size);
        return Dim == 1 ? Vec3<double>{stretch, 0, 0} : flattened<Dim>(random.in_cube());
    });
    add_gas_columns(gas);
    for (std::size_t row = 0; row < size; ++row) {
        gas[velocity][row] = flattened<Dim>(random.uniform(0, 1) * random.direction());
        gas[internal_energy][row] = random.uniform(0.5, 1.5);
        gas[viscosity][row] = random.uniform(0.5, 1.5);
    }
    return gas;
}

// A lattice of side^Dim particles of mass spacing^Dim that fills a unit box: density 1, at rest.
template <int Dim>
ParticleSet lattice(std::size_t side) {
    std::size_t size = 1;
    for (int axis = 0; axis < Dim; ++axis) size *= side;
    const double spacing = 1 / static_cast<double>(side);
    ParticleSet gas(size);
    add_gas_columns(gas);
    for (std::size_t row = 0; row < size; ++row) {
        const auto along = [&](std::size_t number) { return (static_cast<double>(number % side) + 0.5) * spacing; };
        gas[position][row] = flattened<Dim>({along(row), along(row / side), along(row / side / side)});
        gas[mass][row] = power<Dim>(spacing);
        gas[internal_energy][row] = 1;
        gas[viscosity][row] = 1;
    }
    return gas;
}

// The periodic box of a lattice, open along the axes beyond Dim.
template <int Dim>
const Region unit_box{{0, Dim > 1 ? 0 : -Region::infinity, Dim > 2 ? 0 : -Region::infinity},
                      {1, Dim > 1 ? 1 : Region::infinity, Dim > 2 ? 1 : Region::infinity}};

// Finds smoothing lengths with filling 1, to the last digit, and the densities that go with them.
template <class Kernel>
void solve_lengths(ParticleSet& gas, double neighbours) {
    constexpr int Dim = Kernel::dimensions;
    std::vector<double> low(gas.size(), 1e-4), high(gas.size(), 1.6);
    for (int halvings = 0; halvings < 60; ++halvings) {
        for (std::size_t row = 0; row < gas.size(); ++row) gas[smoothing_length][row] = (low[row] + high[row]) / 2;
        const auto sums = all_pairs(DensitySum<Kernel>(), gas);
        for (std::size_t row = 0; row < gas.size(); ++row) {
            const double h = gas[smoothing_length][row];
            const double filled = filling(Dim, h, sums[row][density], gas[mass][row], neighbours);
            (filled < 1 ? low : high)[row] = h;
            gas[density][row] = sums[row][density];
        }
    }
}

// Sets the columns that Hydro reads, from smoothing lengths and internal energies.
template <class Kernel>
void complete(ParticleSet& gas, const IdealGas& state) {
    const auto sums = all_pairs(DensitySum<Kernel>(), gas);
    const auto shape = shape_of<Kernel>();
    for (std::size_t row = 0; row < gas.size(); ++row) {
        const double h = gas[smoothing_length][row], rho = sums[row][density], u = gas[internal_energy][row];
        gas[density][row] = rho;
        gas[inverse_length][row] = 1 / h;
        gas[force_weight][row] =
            force_weight_of(shape, h, rho, omega(shape.dimensions, h, rho, sums[row][density_slope]));
        gas[pressure][row] = state.pressure(rho, u);
        gas[sound_speed][row] = state.sound_speed(u);
    }
}

// Number of neighbours for a smooth sum.
template <int Dim>
constexpr double enough = Dim == 1 ? 6 : (Dim == 2 ? 20 : 50);

}  // namespace trellis
