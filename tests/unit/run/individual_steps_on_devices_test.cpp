// Individual time steps whose forces are computed by a device: those of the host, and a spare takes over.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/decorators/without_limit.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/gravity/tidal_limit.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/run/lost_on_one_rank.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis::individual_steps_on_devices_test {

constexpr ForceSettings by_tree{.theta = 0.5, .method = Method::tree, .order = 1};
constexpr std::uint64_t steps = 3;

// By what gravity limits steps.
enum class Limit { acceleration, tides };

std::unique_ptr<Simulation> individual(Limit limit, std::shared_ptr<ParticleSet> particles, const Devices& devices,
                                       std::shared_ptr<Comm> comm = world()) {
    auto sim = std::make_unique<Simulation>(std::move(particles), 1.0 / 16, std::move(comm));
    sim->set_individual_steps(limit == Limit::acceleration ? 0.01 : 0.0005);
    auto force = gravity(0.01, 1, by_tree, devices);
    if (limit == Limit::acceleration) {
        sim->add_force(std::move(force));
    } else {
        sim->add_force(std::make_shared<WithoutLimit>(std::move(force)));
        sim->add_force(tidal_limit(ComovingSoftening{0.01}, 1, devices));
    }
    return sim;
}

struct Ended {
    std::shared_ptr<ParticleSet> particles = moving_plummer(1500);
    std::uint64_t level_updates = 0;
    std::vector<std::string> notes;

    Ended(Limit limit, const Devices& devices, const std::vector<std::string>& spares = {}) {
        const auto sim = individual(limit, particles, devices);
        sim->set_spares(spares);
        for (std::uint64_t step = 0; step < steps; ++step) {
            sim->step();
            level_updates += sim->rung_use()->level_updates;
        }
        notes = sim->take_device_notes();
    }
};

class IndividualStepsOnDevices : public testing::TestWithParam<Limit> {};

TEST_P(IndividualStepsOnDevices, are_those_of_the_host) {
    const Ended host(GetParam(), {}), device(GetParam(), open_device("cpu"));
    EXPECT_TRUE(std::ranges::equal((*host.particles)[rung], (*device.particles)[rung]));
    EXPECT_EQ(host.level_updates, device.level_updates);
    EXPECT_LT(farthest_apart(*host.particles, *device.particles), 1e-6);
    EXPECT_GE(std::ranges::max((*host.particles)[rung]), 3);
}

struct Launches {
    std::ptrdiff_t first;  // of the forces at the beginning
    std::ptrdiff_t steps;
};

Launches launches_of(Limit limit, std::size_t count) {
    const auto device = std::make_shared<FaultyDevice>(Fault::none, 0);
    const auto sim = individual(limit, moving_plummer(count), device);
    sim->ensure_forces();
    const auto first = std::ranges::count(device->log(), 'l');
    sim->run_steps(steps);
    EXPECT_GT(sim->rung_use()->level_updates, count / 2);
    return {first, std::ranges::count(device->log(), 'l') - first};
}

// A level of fewer than 512 is not worth a call of a device.
TEST_P(IndividualStepsOnDevices, take_the_device_for_large_levels_alone) {
    const Launches few = launches_of(GetParam(), 500), many = launches_of(GetParam(), 1500);
    EXPECT_LE(few.steps, static_cast<std::ptrdiff_t>(steps) * few.first);  // of forces on all particles
    EXPECT_GT(many.steps, static_cast<std::ptrdiff_t>(2 * steps) * many.first);
}

TEST_P(IndividualStepsOnDevices, go_on_with_a_spare_to_the_bit) {
    const Ended unbroken(GetParam(), open_device("cpu"));
    for (const Fault fault : {Fault::lost, Fault::wrong})
        for (const int good_launches : {0, 2, 3, 5, 8}) {
            const Ended broken(GetParam(), std::make_shared<FaultyDevice>(fault, good_launches), {"cpu"});
            EXPECT_EQ(broken.notes, std::vector<std::string>{"device faulty:0 has failed: cpu takes its place"});
            expect_same_bits(*broken.particles, *unbroken.particles);
        }
}

TEST_P(IndividualStepsOnDevices, leave_all_as_it_was_without_a_spare) {
    const auto particles = moving_plummer(1500);
    const auto good_launches = static_cast<int>(launches_of(GetParam(), 1500).first) + 1;
    const auto sim = individual(GetParam(), particles, std::make_shared<FaultyDevice>(Fault::lost, good_launches));
    sim->ensure_forces();
    const auto before = copy_of(*particles);
    EXPECT_THROW(sim->run_steps(steps), DeviceError);
    EXPECT_EQ(sim->step_count(), 0U);
    EXPECT_TRUE(std::ranges::equal((*particles)[position], (*before)[position]));
    EXPECT_TRUE(std::ranges::equal((*particles)[velocity], (*before)[velocity]));
}

TEST_P(IndividualStepsOnDevices, end_with_the_same_bits_on_ranks_if_one_device_fails) {
    const auto start = moving_plummer(1500);
    const auto make = [](const auto&... arguments) { return individual(GetParam(), arguments...); };
    const auto end_with = [&](int good_launches) { return end_with_lost_device(*start, steps, good_launches, make); };
    const auto unbroken = end_with(-1);
    for (const int good_launches : {1, 4, 7}) expect_same_bits(*end_with(good_launches), *unbroken);
}

INSTANTIATE_TEST_SUITE_P(Limits, IndividualStepsOnDevices, testing::Values(Limit::acceleration, Limit::tides));

}  // namespace trellis::individual_steps_on_devices_test
