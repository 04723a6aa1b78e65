#include "trellis/forces/sph/kernels/hydro.hpp"

#include <gtest/gtest.h>

#include "trellis/forces/sph/kernels/velocity_gradient.hpp"
#include "unit/forces/sph/gas.hpp"
#include "unit/forces/sph/kernels.hpp"

namespace trellis::hydro_test {

using namespace fields;

template <class Kernel>
class HydroOf : public testing::Test {
  protected:
    static constexpr int dim = Kernel::dimensions;
    static constexpr std::size_t size = 60;

    // A random gas with smoothing lengths that fit.
    static ParticleSet gas() {
        ParticleSet particles = random_gas<dim>(size, 5);
        solve_lengths<Kernel>(particles, enough<dim>);
        complete<Kernel>(particles, IdealGas());
        return particles;
    }
    static void at_rest_without_dissipation(ParticleSet& particles) {
        for (auto& v : particles[velocity]) v = {0, 0, 0};
        for (double& alpha : particles[viscosity]) alpha = 0;
    }
    static auto hydro(const ParticleSet& particles) { return all_pairs(Hydro<Kernel>(), particles); }
};
TYPED_TEST_SUITE(HydroOf, AllKernels);

TYPED_TEST(HydroOf, a_gas_is_the_gradient_of_its_energy_at_constant_entropy) {
    constexpr int dim = TestFixture::dim;
    constexpr double step = 1e-5;
    const IdealGas state;
    ParticleSet gas = TestFixture::gas();
    this->at_rest_without_dissipation(gas);
    std::vector<double> entropy(gas.size());
    for (std::size_t row = 0; row < gas.size(); ++row)
        entropy[row] = gas[pressure][row] / std::pow(gas[density][row], state.gamma);
    const auto energy = [&](const ParticleSet& particles) {
        double sum = 0;
        for (std::size_t row = 0; row < gas.size(); ++row) {
            const double rho = particles[density][row];
            sum += particles[mass][row] * entropy[row] * std::pow(rho, state.gamma - 1) / (state.gamma - 1);
        }
        return sum;
    };
    const auto outcome = this->hydro(gas);
    for (const std::size_t row : {0, 20, 40})
        for (int axis = 0; axis < dim; ++axis) {
            const auto energy_at = [&](double offset) {
                ParticleSet moved = random_gas<dim>(gas.size(), 5);
                moved[position][row][static_cast<std::size_t>(axis)] += offset;
                solve_lengths<TypeParam>(moved, enough<dim>);
                return energy(moved);
            };
            const double force = -(energy_at(step) - energy_at(-step)) / (2 * step);
            const Vec3<double> a = outcome[row][acceleration];
            EXPECT_NEAR(gas[mass][row] * a[static_cast<std::size_t>(axis)], force,
                        1e-6 * gas[mass][row] * std::sqrt(dot(a, a)))
                << "row " << row << ", axis " << axis;
        }
}

TYPED_TEST(HydroOf, a_gas_without_dissipation_keeps_its_entropy) {
    ParticleSet gas = TestFixture::gas();
    for (double& alpha : gas[viscosity]) alpha = 0;
    Hydro<TypeParam> hydro;
    hydro.conductivity = {.of_pressures = 0};
    const auto outcome = all_pairs(hydro, gas);
    const auto flow = all_pairs(VelocityGradient<TypeParam>(), gas);
    for (std::size_t row = 0; row < gas.size(); ++row) {  // du/dt = P / rho^2 drho/dt
        const double heating = -gas[pressure][row] / gas[density][row] * flow[row][velocity_divergence];
        EXPECT_NEAR(outcome[row][internal_energy_rate], heating, 1e-12 * std::max(1.0, std::abs(heating)));
    }
}

TYPED_TEST(HydroOf, a_gas_conserves_momenta_and_energy) {
    const ParticleSet gas = TestFixture::gas();
    const auto outcome = this->hydro(gas);
    Vec3<double> force{0, 0, 0}, torque{0, 0, 0};
    double power_of_all = 0, forces = 0, powers = 0;
    for (std::size_t row = 0; row < gas.size(); ++row) {
        const double m = gas[mass][row], du = m * outcome[row][internal_energy_rate];
        const Vec3<double> f = m * outcome[row][acceleration];
        force += f;
        torque += cross(gas[position][row], f);
        power_of_all += dot(f, gas[velocity][row]) + du;
        forces += std::sqrt(dot(f, f));
        powers += std::abs(du);
    }
    EXPECT_LT(std::sqrt(dot(force, force)), 1e-14 * forces);
    EXPECT_LT(std::sqrt(dot(torque, torque)), 1e-14 * forces);
    EXPECT_LT(std::abs(power_of_all), 1e-14 * powers);
}

TYPED_TEST(HydroOf, a_gas_is_the_same_for_who_moves_along) {
    ParticleSet gas = TestFixture::gas();
    const auto here = this->hydro(gas);
    for (auto& v : gas[velocity]) v += flattened<TestFixture::dim>({30, -20, 10});
    const auto there = this->hydro(gas);
    for (std::size_t row = 0; row < gas.size(); ++row) {
        const Vec3<double> a = here[row][acceleration], apart = there[row][acceleration] - a;
        EXPECT_LT(std::sqrt(dot(apart, apart)), 1e-12 * std::sqrt(dot(a, a)));
        const double du = here[row][internal_energy_rate];
        EXPECT_NEAR(there[row][internal_energy_rate], du, 1e-11 * std::max(1.0, std::abs(du)));
    }
}

TYPED_TEST(HydroOf, a_lattice_at_rest_stays_at_rest) {
    constexpr int dim = TestFixture::dim;
    ParticleSet gas = lattice<dim>(8);
    gas.set_region(unit_box<dim>);
    for (double& h : gas[smoothing_length]) h = 0.3;
    complete<TypeParam>(gas, IdealGas());
    for (const auto& outcome : this->hydro(gas)) {
        const Vec3<double> a = outcome[acceleration];
        EXPECT_LT(std::sqrt(dot(a, a)), 1e-11);
        EXPECT_NEAR(outcome[internal_energy_rate], 0, 1e-12);
        EXPECT_DOUBLE_EQ(outcome[signal_speed], 2 * gas[sound_speed][0]);
    }
}

// Two particles on the axis x, 0.2 from each other.
class HydroOfTwo : public testing::Test {
  protected:
    using Kernel = WendlandC4<3>;
    HydroOfTwo() : gas(2) {
        add_gas_columns(gas);
        gas[position][1] = {0.2, 0, 0};
        for (double& m : gas[mass]) m = 1;
        for (double& h : gas[smoothing_length]) h = 0.5;
        for (double& u : gas[internal_energy]) u = 1;
        for (double& alpha : gas[viscosity]) alpha = 1;
    }
    auto outcome(const Conductivity& conductivity = {}) {
        complete<Kernel>(gas, IdealGas());
        return all_pairs(Hydro<Kernel>{conductivity}, gas);
    }
    ParticleSet gas;
};

TEST_F(HydroOfTwo, is_viscous_as_monaghan_says_when_they_approach) {
    const double at_rest = outcome()[0][acceleration].x;
    gas[velocity][0] = {0.1, 0, 0};
    const auto approaching = outcome()[0];
    // The viscous acceleration: -alpha / 2 v_sig w / rho times the mean gradient of the kernels, by omega.
    const double c = gas[sound_speed][0], rho = gas[density][0];
    const double gradient = gas[force_weight][0] * rho * rho * Kernel::gradient(0.4, 2.5) * 0.2;
    const double viscous = 0.5 * (2 * c + 0.3) * 0.1 / rho * gradient;
    EXPECT_NEAR(approaching[acceleration].x, at_rest + viscous, 1e-12 * std::abs(at_rest));
    EXPECT_LT(viscous, 0);
    EXPECT_DOUBLE_EQ(approaching[signal_speed], 2 * c + 0.3);
}

TEST_F(HydroOfTwo, is_heated_by_viscosity) {
    gas[velocity][0] = {0.1, 0, 0};
    const double hot = outcome()[0][internal_energy_rate];
    for (double& alpha : gas[viscosity]) alpha = 0;
    EXPECT_GT(hot, 1.01 * outcome()[0][internal_energy_rate]);
}

TEST_F(HydroOfTwo, is_not_viscous_when_they_part) {
    const double at_rest = outcome()[0][acceleration].x;
    gas[velocity][0] = {-0.1, 0, 0};
    EXPECT_DOUBLE_EQ(outcome()[0][acceleration].x, at_rest);
    EXPECT_DOUBLE_EQ(outcome()[0][signal_speed], 2 * gas[sound_speed][0]);
}

TEST_F(HydroOfTwo, conducts_heat_from_hot_to_cold) {
    gas[internal_energy][0] = 2;
    const auto rates = outcome();
    const double rho = gas[density][0], speed = std::sqrt((gas[pressure][0] - gas[pressure][1]) / rho);
    const double gradient = gas[force_weight][0] * rho * Kernel::gradient(0.4, 2.5) * 0.2;
    EXPECT_NEAR(rates[0][internal_energy_rate], speed * gradient, 1e-12 * std::abs(speed * gradient));
    EXPECT_LT(rates[0][internal_energy_rate], 0);
    EXPECT_DOUBLE_EQ(rates[1][internal_energy_rate], -rates[0][internal_energy_rate]);
}

TEST_F(HydroOfTwo, conducts_by_the_flow_where_particles_approach_or_part) {
    constexpr Conductivity by_flow{.of_pressures = 0, .of_flow = 0.5F};
    gas[internal_energy][0] = 2;
    for (double& alpha : gas[viscosity]) alpha = 0;
    const double at_rest = outcome(by_flow)[0][internal_energy_rate];
    EXPECT_EQ(at_rest, 0) << "pressures differ";
    for (const double speed : {0.1, -0.1}) {
        gas[velocity][0] = {speed, 0.3, 0};
        const double flowing = outcome(by_flow)[0][internal_energy_rate];
        const double compressed = outcome({.of_pressures = 0})[0][internal_energy_rate];
        const double gradient = gas[force_weight][0] * gas[density][0] * Kernel::gradient(0.4, 2.5) * 0.2;
        EXPECT_NEAR(flowing - compressed, 0.5 * 0.1 * gradient, 1e-12 * std::abs(compressed)) << speed;
    }
}

TEST_F(HydroOfTwo, interacts_with_particles_that_reach_it) {
    gas[smoothing_length][0] = 0.1;
    EXPECT_NE(outcome()[0][acceleration].x, 0);
    gas[smoothing_length][1] = 0.1;
    EXPECT_EQ(outcome()[0][acceleration].x, 0);
    EXPECT_DOUBLE_EQ(outcome()[0][signal_speed], 2 * gas[sound_speed][0]) << "a particle alone has its own";
}

}  // namespace trellis::hydro_test
