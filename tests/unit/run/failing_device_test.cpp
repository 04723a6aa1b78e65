// A step whose device fails can be repeated on another, and nothing is lost.
#include <gtest/gtest.h>

#include <algorithm>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/particle_models.hpp"

namespace trellis::failing_device_test {

using namespace fields;

constexpr int steps = 9;

struct Trial {
    Trial(std::shared_ptr<Device> device, const ForceSettings& settings)
        : particles(std::make_shared<ParticleSet>(models::plummer(900, 1))),
          sim(particles, 0.01),
          force(gravity(0.05, 1, settings, std::move(device))) {
        sim.add_force(force);
    }
    std::shared_ptr<ParticleSet> particles;
    Simulation sim;
    std::shared_ptr<ForceByTree> force;
};

// Runs until the device fails, and on another to the end; returns the message of the failure.
std::string run_over_a_failure(Trial& run) {
    std::string message;
    while (run.sim.time() < (steps - 0.5) * 0.01) {
        try {
            run.sim.step();
        } catch (const DeviceError& error) {
            message = error.what();
            run.force->use_devices(open_device("cpu"));
        }
    }
    return message;
}

class FailingDevice : public testing::TestWithParam<Lists> {};

TEST_P(FailingDevice, is_named_and_another_takes_over_bit_for_bit) {
    ForceSettings settings{.accuracy = 1e-3, .lists = GetParam(), .reuse_steps = 4, .opening_growth = 0.5};
    Trial unbroken(open_device("cpu"), settings);
    while (unbroken.sim.step_count() < steps) unbroken.sim.step();
    for (const Fault fault : {Fault::lost, Fault::wrong})
        for (const int good_launches : {0, 40, 110, 120, 130}) {
            Trial run(std::make_shared<FaultyDevice>(fault, good_launches), settings);
            EXPECT_EQ(run_over_a_failure(run), fault == Fault::lost
                                                   ? "device faulty:0 was lost"
                                                   : "device faulty:0 gave a force that is not finite");
            EXPECT_EQ(run.sim.step_count(), unbroken.sim.step_count());
            EXPECT_EQ(run.sim.time(), unbroken.sim.time());
            EXPECT_TRUE(std::ranges::equal((*run.particles)[position], (*unbroken.particles)[position]))
                << good_launches;
            EXPECT_TRUE(std::ranges::equal((*run.particles)[acceleration], (*unbroken.particles)[acceleration]));
        }
}

INSTANTIATE_TEST_SUITE_P(With, FailingDevice, testing::Values(Lists::rebuild, Lists::reuse),
                         [](const auto& of) { return of.param == Lists::reuse ? "reuse" : "rebuild"; });

}  // namespace trellis::failing_device_test
