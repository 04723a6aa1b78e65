// Thermostats beside fixed particles: these keep their velocities, and count neither in the motion nor its freedom.
#include <gtest/gtest.h>

#include <cmath>

#include "trellis/integrate/thermostats/andersen.hpp"
#include "trellis/integrate/thermostats/csvr.hpp"
#include "trellis/integrate/thermostats/langevin.hpp"
#include "trellis/integrate/thermostats/nose_hoover.hpp"
#include "trellis/integrate/thermostats/own_motion.hpp"
#include "trellis/particles/motion.hpp"
#include "unit/integrate/thermostats/thermostat_checks.hpp"

namespace trellis::thermostats_beside_fixed_test {

using namespace fields;

constexpr std::size_t size = 3000, held = 1000;

// Beside a wall of the first ones, which moves.
ParticleSet gas_beside_wall() {
    ParticleSet gas = mixed_gas(size);
    gas.set_region({{0, 0, 0}, {1, 1, 1}});
    gas.add(fixed);
    for (std::size_t row = 0; row < held; ++row) {
        gas[fixed][row] = 1;
        gas[velocity][row] = {5, 0, 0};
    }
    return gas;
}

template <class Bath>
void check_wall_stays(Bath bath) {
    ParticleSet gas = gas_beside_wall();
    const double before = kinetic_energy(gas);
    for (std::uint64_t call = 0; call < 200; ++call) bath.act(gas, 0.05, call, *serial_comm());
    for (std::size_t row = 0; row < held; ++row) ASSERT_EQ(gas[velocity][row], (Vec3<double>{5, 0, 0}));
    const double after = kinetic_energy(gas), free = size - held;
    EXPECT_GT(std::abs(after - before), 0.1 * before);
    EXPECT_NEAR(after + bath.bath_energy(), before, 1e-11 * before);
    EXPECT_NEAR(after, 1.5 * free * bath.temperature(), 0.1 * after);
}

TEST(ThermostatsBesideFixed, leave_the_wall_and_hold_the_others) {
    check_wall_stays(Langevin(0.7, 1, 3));
    check_wall_stays(Andersen(0.7, 1, 3));
    check_wall_stays(Csvr(0.7, 1, 3));
}

TEST(ThermostatsBesideFixed, scale_the_motion_of_the_others) {
    ParticleSet gas = gas_beside_wall();
    for (std::size_t row = held; row < size; ++row) gas[velocity][row] += {0, 3, 0};
    const OwnMotion motion = own_motion(gas, *serial_comm());
    EXPECT_NEAR(motion.drift.x, 0, 0.2);
    EXPECT_NEAR(motion.drift.y, 3, 0.2);
    EXPECT_EQ(motion.freedom, 3.0 * (size - held) - 3);
    const double drifting = drift_energy(*serial_comm(), gas);
    EXPECT_GT(drifting, 0.5 * motion.kinetic);
    EXPECT_NEAR(motion.kinetic, kinetic_energy(gas) - drifting, 1e-12 * motion.kinetic);
    const Vec3<double> before = gas[velocity][size - 1];
    scale_own_motion(gas, motion, 0.5);
    EXPECT_EQ(gas[velocity][0], (Vec3<double>{5, 0, 0}));
    EXPECT_EQ(gas[velocity][size - 1], motion.drift + 0.5 * (before - motion.drift));
    for (std::size_t row = 0; row < size - 1; ++row) gas[fixed][row] = 1;
    EXPECT_EQ(message_of([&] { own_motion(gas, *serial_comm()); }),
              "a thermostat that scales velocities relative to their centre of mass has 1 free particle: "
              "allowed is 2 or more; Langevin takes any");
}

TEST(ThermostatsBesideFixed, chains_conserve_the_energy_with_their_bath) {
    ParticleSet gas = gas_beside_wall();
    NoseHoover bath(0.7, 1, 3);
    bath.act(gas, 1e-9, 0, *serial_comm());
    const double before = kinetic_energy(gas) + bath.bath_energy();
    for (std::uint64_t call = 0; call < 20; ++call) bath.act(gas, 0.01, call, *serial_comm());
    EXPECT_NEAR(kinetic_energy(gas) + bath.bath_energy(), before, 2e-5 * before);
    EXPECT_EQ(gas[velocity][held - 1], (Vec3<double>{5, 0, 0}));
}

// In open space, where the wall takes up angular momentum, and where the others have none at first.
TEST(ThermostatsBesideFixed, rescale_what_does_not_turn) {
    ParticleSet gas(3);
    for (std::size_t row = 0; row < 3; ++row) gas[mass][row] = 1;
    gas[velocity][1] = {1, 0, 0};
    gas[velocity][2] = {-1, 0, 0};
    EXPECT_NE(message_of([&] { check_rescaling(gas, *serial_comm()); }), "");
    gas.add(fixed)[0] = 1;
    EXPECT_EQ(message_of([&] { check_rescaling(gas, *serial_comm()); }), "");
}

}  // namespace trellis::thermostats_beside_fixed_test
