// Thermostats that act in some directions: in the others nothing changes, and there are no degrees of freedom.
#include "trellis/integrate/thermostats/axes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "trellis/integrate/thermostats/andersen.hpp"
#include "trellis/integrate/thermostats/csvr.hpp"
#include "trellis/integrate/thermostats/langevin.hpp"
#include "trellis/integrate/thermostats/nose_hoover.hpp"
#include "trellis/integrate/thermostats/own_motion.hpp"
#include "unit/integrate/thermostats/thermostat_checks.hpp"

namespace trellis::thermostat_axes_test {

using namespace fields;

constexpr std::size_t size = 3000;
constexpr Axes plane{.x = true, .y = false, .z = true};

template <class Bath>
void check_acts_in_the_plane(Bath bath) {
    ParticleSet gas = mixed_gas(size);
    const ParticleSet start = mixed_gas(size);
    const double before = kinetic_energy(gas);
    for (std::uint64_t call = 0; call < 200; ++call) bath.act(gas, 0.05, call, *serial_comm());
    double squares = 0;
    for (std::size_t row = 0; row < size; ++row) {
        ASSERT_EQ(gas[velocity][row].y, start[velocity][row].y);
        const Vec3<double> along = plane.part_of(gas[velocity][row]);
        squares += gas[mass][row] * dot(along, along);
    }
    EXPECT_NEAR(squares, 2 * size * bath.temperature(), 0.1 * squares);
    EXPECT_NEAR(kinetic_energy(gas) + bath.bath_energy(), before, 1e-11 * before);
}

TEST(ThermostatAxes, all_other_components_stay) {
    check_acts_in_the_plane(Langevin(0.7, 1, 3, plane));
    check_acts_in_the_plane(Andersen(0.7, 1, 3, plane));
    check_acts_in_the_plane(Csvr(0.7, 1, 3, plane));
}

TEST(ThermostatAxes, the_motion_that_is_scaled_is_along_them) {
    ParticleSet gas = mixed_gas(size);
    const OwnMotion motion = own_motion(gas, *serial_comm(), plane);
    EXPECT_EQ(motion.freedom, 2.0 * (size - 1));
    double squares = 0;
    for (std::size_t row = 0; row < size; ++row) {
        const Vec3<double> own = plane.part_of(gas[velocity][row] - motion.drift);
        squares += gas[mass][row] * dot(own, own);
    }
    EXPECT_NEAR(motion.kinetic, 0.5 * squares, 1e-12 * squares);
    EXPECT_EQ(own_motion(gas, *serial_comm()).freedom, 3.0 * size - 3);
}

TEST(ThermostatAxes, a_chain_conserves_the_energy_with_its_bath) {
    ParticleSet gas = mixed_gas(size);
    NoseHoover bath(0.7, 1, 3, plane);
    bath.act(gas, 1e-9, 0, *serial_comm());
    const double before = kinetic_energy(gas) + bath.bath_energy();
    for (std::uint64_t call = 0; call < 20; ++call) bath.act(gas, 0.01, call, *serial_comm());
    EXPECT_NEAR(kinetic_energy(gas) + bath.bath_energy(), before, 2e-5 * before);
    EXPECT_EQ(gas[velocity][7].y, mixed_gas(size)[velocity][7].y);
}

}  // namespace trellis::thermostat_axes_test
