// A gas of one temperature.
#include "trellis/forces/sph/sph_force.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/sph/gas.hpp"

namespace trellis::isothermal_test {

using namespace fields;

constexpr double c = 0.7;

SphSettings settings_of(int dimensions, double neighbours, double sound_speed = c) {
    SphSettings settings;
    settings.dimensions = dimensions;
    settings.neighbours = neighbours;
    settings.gas = IsothermalGas{sound_speed};
    settings.conductivity = 3;
    return settings;
}

// Particles of a gas without internal energies, after forces.
template <int Dim>
std::shared_ptr<ParticleSet> computed() {
    const ParticleSet random = random_gas<Dim>(400, 3);
    auto gas = std::make_shared<ParticleSet>(random.size());
    std::ranges::copy(random[position], (*gas)[position].begin());
    std::ranges::copy(random[velocity], (*gas)[velocity].begin());
    std::ranges::copy(random[mass], (*gas)[mass].begin());
    Simulation simulation(gas, 1e-4);
    simulation.add_force(std::make_shared<SphForce>(settings_of(Dim, enough<Dim>)));
    simulation.compute_forces();
    return gas;
}

template <int Dim>
void compare_with_all_pairs() {
    const auto gas = computed<Dim>();
    EXPECT_FALSE(gas->has(InternalEnergy::name));
    EXPECT_FALSE(gas->has(InternalEnergyRate::name));
    double energy = 0;
    for (std::size_t row = 0; row < gas->size(); ++row) {
        const double rho = (*gas)[density][row];
        EXPECT_DOUBLE_EQ((*gas)[pressure][row], c * c * rho);
        EXPECT_EQ((*gas)[sound_speed][row], c);
        energy += (*gas)[mass][row] * c * c * std::log(rho);
    }
    EXPECT_NEAR(total_isothermal_energy(*gas), energy, 1e-12 * std::abs(energy));

    const auto barotropic = all_pairs(BarotropicHydro<WendlandC2<Dim>>(), *gas);
    gas->add(internal_energy);
    const auto ideal = all_pairs(Hydro<WendlandC2<Dim>>(), *gas);
    double difference = 0, largest = 0;
    for (std::size_t row = 0; row < gas->size(); ++row) {
        const Vec3<double> exact = ideal[row][acceleration], apart = (*gas)[acceleration][row] - exact;
        EXPECT_EQ(Vec3<double>(barotropic[row][acceleration]), exact);
        difference = std::max(difference, std::sqrt(dot(apart, apart)));
        largest = std::max(largest, std::sqrt(dot(exact, exact)));
        EXPECT_NEAR((*gas)[signal_speed][row], ideal[row][signal_speed], 1e-5 * ideal[row][signal_speed]);
    }
    EXPECT_LT(difference, 1e-5 * largest);
}

TEST(IsothermalGas, is_pressed_as_all_pairs_say_in_any_dimension) {
    compare_with_all_pairs<1>();
    compare_with_all_pairs<2>();
    compare_with_all_pairs<3>();
}

// The accelerations after two steps, and the internal energy.
std::vector<Vec3<double>> moved_on(int ranks, double& energy) {
    const ParticleSet all = random_gas<3>(400, 3);
    std::vector<Vec3<double>> by_id(all.size());
    run_ranks(ranks, [&](Comm& comm) {
        auto own = std::make_shared<ParticleSet>(comm.rank() == 0 ? all.size() : 0);
        if (comm.rank() == 0) {
            std::ranges::copy(all[position], (*own)[position].begin());
            std::ranges::copy(all[mass], (*own)[mass].begin());
        }
        Simulation simulation(own, 1e-3, std::shared_ptr<Comm>(&comm, [](Comm*) {}));
        SphSettings settings = settings_of(3, enough<3>);
        settings.search.precision = Precision::double_;
        simulation.add_force(std::make_shared<SphForce>(settings));
        for (int step = 0; step < 2; ++step) simulation.step();
        for (std::size_t row = 0; row < own->size(); ++row) by_id[(*own)[id][row]] = (*own)[acceleration][row];
        const double sum = total_isothermal_energy(comm, *own);
        if (comm.rank() == 0) energy = sum;
    });
    return by_id;
}

TEST(IsothermalGas, is_the_same_on_several_ranks) {
    double energy = 0, energy_on_ranks = 0;
    const auto alone = moved_on(1, energy), shared = moved_on(3, energy_on_ranks);
    for (std::size_t k = 0; k < alone.size(); ++k) {
        const Vec3<double> wrong = shared[k] - alone[k];
        EXPECT_LT(std::sqrt(dot(wrong, wrong)), 1e-4 * (std::sqrt(dot(alone[k], alone[k])) + 1));
    }
    EXPECT_NEAR(energy_on_ranks, energy, 1e-6 * std::abs(energy));
}

TEST(IsothermalGas, has_a_speed_of_sound_above_0_and_finite) {
    const auto message = [](double speed) { return message_of([&] { SphForce force(settings_of(3, 64, speed)); }); };
    EXPECT_EQ(message(0), "sound_speed is 0: allowed is above 0, and finite");
    EXPECT_EQ(message(INFINITY), "sound_speed is inf: allowed is above 0, and finite");
}

}  // namespace trellis::isothermal_test
