// Each force has a device of its own, or none.
#include <gtest/gtest.h>

#include "trellis/devices/cpu_device.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis::devices_of_forces_test {

constexpr ForceSettings by_tree{.theta = 0.5,
                                .method = Method::tree,
                                .order = 1,
                                .precision = Precision::double_,
                                .lists = Lists::reuse,
                                .reuse_steps = 3};

std::unique_ptr<Simulation> simulation_of(std::shared_ptr<ParticleSet> particles,
                                          std::vector<std::shared_ptr<Force>> forces) {
    auto sim = std::make_unique<Simulation>(std::move(particles), 0.01);
    for (auto& force : forces) sim->add_force(std::move(force));
    return sim;
}

double largest_difference(const ParticleSet& a, const ParticleSet& b) {
    double largest = 0;
    for (std::size_t row = 0; row < a.size(); ++row) {
        const Vec3<double> d = a[position][row] - b[position][row];
        largest = std::max(largest, dot(d, d));
    }
    return std::sqrt(largest);
}

TEST(DevicesOfForces, are_different_ones_in_one_simulation) {
    const auto particles = moving_plummer(500), expected = moving_plummer(500);
    const auto first = make_cpu_device(std::size_t{1} << 24, 1), second = make_cpu_device(std::size_t{1} << 25, 1);
    const std::size_t all = first->memory_left();
    const auto sim = simulation_of(particles, {gravity(0.05, 0.5, by_tree, first), gravity(0.05, 0.3, by_tree, second),
                                               gravity(0.05, 0.2, by_tree),
                                               lennard_jones(1e-9, 0.01, 0.05, Truncation::plain, {.device = first})});
    sim->run_steps(7);
    EXPECT_LT(first->memory_left(), all);
    EXPECT_NE(first->memory_bytes() - first->memory_left(), second->memory_bytes() - second->memory_left());
    for (const std::size_t on_device : {0, 1, 3}) {
        ASSERT_NE(sim->forces()[on_device]->device_use(), nullptr);
        EXPECT_GT(sim->forces()[on_device]->device_use()->times.bytes_up, 0U);
    }
    EXPECT_EQ(sim->forces()[2]->device_use(), nullptr);

    simulation_of(expected, {gravity(0.05, 1, by_tree), lennard_jones(1e-9, 0.01, 0.05)})->run_steps(7);
    EXPECT_LT(largest_difference(*particles, *expected), 1e-9);
}

TEST(DevicesOfForces, fail_each_for_itself) {
    const auto particles = moving_plummer(200), expected = moving_plummer(200);
    const auto good = make_cpu_device(std::size_t{1} << 24, 1);
    const auto failing =
        std::shared_ptr<ForceByTree>(gravity(0.05, 0.5, by_tree, std::make_shared<FaultyDevice>(Fault::lost, 20)));
    const auto sim = simulation_of(particles, {failing, gravity(0.05, 0.5, by_tree, good)});
    EXPECT_THROW(sim->run_steps(20), DeviceError);
    failing->use_devices(good);
    sim->run_until(0.2);
    const auto unbroken =
        simulation_of(expected, {gravity(0.05, 0.5, by_tree, good), gravity(0.05, 0.5, by_tree, good)});
    unbroken->run_until(0.2);
    EXPECT_EQ(sim->step_count(), unbroken->step_count());
    expect_same_bits(*particles, *expected);
}

}  // namespace trellis::devices_of_forces_test
