// A crystal of Lennard-Jones atoms melts: the set-up of LAMMPS's benchmark in.lj, with fewer atoms.
#include <gtest/gtest.h>

#include "physics/conserved.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis {

using namespace fields;

namespace {

constexpr double density = 0.8442, temperature = 1.44;
constexpr std::size_t cells = 10, count = 4 * cells * cells * cells;

// Face-centred cubic, with random velocities of zero total momentum, scaled to the temperature of 3 N - 3 degrees of
// freedom.
std::shared_ptr<ParticleSet> crystal() {
    auto particles = std::make_shared<ParticleSet>(count);
    const double cell = std::cbrt(4 / density), side = cell * cells;
    particles->set_region({{0, 0, 0}, {side, side, side}});
    constexpr std::array<Vec3<double>, 4> corners{{{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}};
    models::Random random(1);
    for (std::size_t row = 0; row < count; ++row) {
        const std::size_t number = row / 4;
        const Vec3<double> corner{static_cast<double>(number % cells), static_cast<double>(number / cells % cells),
                                  static_cast<double>(number / cells / cells)};
        (*particles)[position][row] = cell * (corner + corners[row % 4]);
        (*particles)[mass][row] = 1;
        (*particles)[velocity][row] = random.in_cube();
    }
    const Vec3<double> mean = momentum(*particles) / static_cast<double>(count);
    for (auto& v : (*particles)[velocity]) v -= mean;
    const double factor = std::sqrt(1.5 * temperature * (count - 1) / kinetic_energy(*particles));
    for (auto& v : (*particles)[velocity]) v *= factor;
    return particles;
}

double temperature_of(const ParticleSet& particles) { return kinetic_energy(particles) / (1.5 * (count - 1)); }
double pair_energy(const ParticleSet& particles) { return potential_energy(particles) / count; }
double pressure_of(const ParticleSet& particles) {
    return (2 * kinetic_energy(particles) + total_virial(particles)) * density / (3 * count);
}

// LAMMPS's first lines, for 32,000 atoms: step 0: T 1.44, E_pair -6.7733681, P -5.0197073; step 100: T 0.7574531,
// E_pair -5.7585055, P 0.20726105. T has 3 N - 3 degrees of freedom, so the kinetic pressure, rho T (N - 1) / N,
// depends a little on N.
TEST(LennardJonesMelt, begins_as_lammpss) {
    const double fewer_atoms = density * temperature * (1.0 / 32000 - 1.0 / count);
    for (const Precision precision : {Precision::single_, Precision::double_}) {
        const auto particles = crystal();
        Simulation sim(particles, 0.005);
        sim.add_force(lennard_jones(1, 1, 2.5, Truncation::plain, {.precision = precision}));
        sim.compute_forces();
        const double digits = precision == Precision::single_ ? 1e-6 : 1e-8;
        EXPECT_NEAR(pair_energy(*particles) / -6.7733681, 1, digits);
        EXPECT_NEAR(pressure_of(*particles), -5.0197073 + fewer_atoms, 10 * digits);
    }
}

// T of 4,000 atoms with other velocities scatters by about 0.008 around that of more atoms.
TEST(LennardJonesMelt, goes_on_as_lammpss) {
    const auto particles = crystal();
    Simulation sim(particles, 0.005);
    sim.add_force(lennard_jones(1, 1, 2.5));
    sim.run_until(0.5);
    EXPECT_NEAR(temperature_of(*particles), 0.7574531, 0.025);
    EXPECT_NEAR(pair_energy(*particles), -5.7585055, 0.0375);
    EXPECT_NEAR(pressure_of(*particles), 0.20726105, 0.2);
}

TEST(LennardJonesMelt, keeps_energy_and_momentum) {
    const auto particles = crystal();
    Simulation sim(particles, 0.002);
    sim.add_force(lennard_jones(1, 1, 2.5, Truncation::force_shifted));
    sim.run_until(1);
    const auto mean_energy = [&] {  // mean over 50 steps, in which the energy oscillates
        double sum = 0;
        for (int k = 0; k < 50; ++k) {
            sim.step();
            sum += (kinetic_energy(*particles) + potential_energy(*particles)) / 50;
        }
        return sum;
    };
    const double before = mean_energy();
    sim.run_until(3);
    EXPECT_LT(std::abs(mean_energy() / before - 1), 1e-5);
    const Vec3<double> drift = momentum(*particles);
    EXPECT_LT(std::sqrt(dot(drift, drift)), 1e-3);
}

}  // namespace
}  // namespace trellis
