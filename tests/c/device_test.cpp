// Ready-made forces on devices, as a program in C asks for them.
#include <gtest/gtest.h>

#include "c/handles.hpp"

namespace trellis::c_tests {

namespace {

Handle<trellis_devices> devices_of(const char* names) {
    return made<trellis_devices>([&](auto* to) { return trellis_devices_open(names, to); });
}

// Accelerations of 2000 stars by the devices, in the order of the ids; error: against direct summation.
std::vector<double> accelerations_on(const trellis_devices* devices, double& error) {
    const auto particles = particles_of(models::plummer(2000, 9));
    const auto force = made<trellis_force>([&](auto* to) { return trellis_gravity(0.05, 1e-4, devices, to); });
    const auto simulation =
        made<trellis_simulation>([&](auto* to) { return trellis_simulation_new(particles.get(), 0.01, to); });
    EXPECT_EQ(trellis_add_force(simulation.get(), force.get()), 0) << trellis_error();
    EXPECT_EQ(trellis_set_spares(simulation.get(), "cpu host"), 0) << trellis_error();
    EXPECT_EQ(trellis_compute_forces(simulation.get()), 0) << trellis_error();
    EXPECT_EQ(trellis_force_error(simulation.get(), 200, &error), 0) << trellis_error();
    return by_id(particles, "acceleration", 3);
}

}  // namespace

TEST(DevicesInC, ComputeGravityToTheAccuracy) {
    double error = 1;
    const auto host = accelerations_on(nullptr, error);
    EXPECT_LT(error, 1e-4);
    EXPECT_EQ(accelerations_on(devices_of("host").get(), error), host);
    for (const char* names : {"cpu", "cpu#0 cpu#1"}) {
        error = 1;
        const auto there = accelerations_on(devices_of(names).get(), error);
        EXPECT_LT(error, 1e-4) << names;
        EXPECT_NE(there, host) << "another way of summing, unless the device is not used";
        EXPECT_LT(difference(there, host), 2e-4) << names;
    }
}

// The first GPU of this machine, or its host.
TEST(DevicesInC, AreChosenForAuto) {
    double error = 1;
    accelerations_on(devices_of("auto").get(), error);
    EXPECT_LT(error, 1e-4);
}

TEST(DevicesInC, ComputeLennardJones) {
    std::vector<double> of[2];
    for (const char* names : {"host", "cpu"}) {
        const auto particles = particles_of(models::uniform_cube(500, 3));
        double* x = column(particles, "position", 3);
        for (int k = 0; k < 1500; ++k) x[k] *= 12;
        const auto devices = devices_of(names);
        const auto force =
            made<trellis_force>([&](auto* to) { return trellis_lennard_jones(1, 0.2, 2.5, devices.get(), to); });
        const auto simulation =
            made<trellis_simulation>([&](auto* to) { return trellis_simulation_new(particles.get(), 0.001, to); });
        EXPECT_EQ(trellis_add_force(simulation.get(), force.get()), 0) << trellis_error();
        EXPECT_EQ(trellis_compute_forces(simulation.get()), 0) << trellis_error();
        of[names[0] == 'c'] = by_id(particles, "acceleration", 3);
    }
    EXPECT_LT(difference(of[1], of[0]), 1e-5);
    EXPECT_GT(difference(of[1], std::vector<double>(1500, 1e-3)), 0);
}

// A handle of devices may be freed before the forces that use them.
TEST(DevicesInC, LiveAsLongAsTheirForces) {
    auto devices = devices_of("cpu");
    const auto force = made<trellis_force>([&](auto* to) { return trellis_gravity(0.05, 1e-3, devices.get(), to); });
    devices.reset();
    const auto particles = particles_of(models::plummer(100, 1));
    const auto simulation =
        made<trellis_simulation>([&](auto* to) { return trellis_simulation_new(particles.get(), 0.01, to); });
    EXPECT_EQ(trellis_add_force(simulation.get(), force.get()), 0) << trellis_error();
    EXPECT_EQ(trellis_step(simulation.get(), 2), 0) << trellis_error();
}

}  // namespace trellis::c_tests
