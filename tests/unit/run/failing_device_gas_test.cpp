// A gas whose device fails within a step: the repeated step is the unbroken one.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/forces/sph/gas.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis::failing_device_gas_test {

using namespace fields;

constexpr std::uint64_t steps = 6;
constexpr double timestep = 2e-3;

// Records the stage in which its device failed.
class WatchedSph : public SphForce {
  public:
    using SphForce::SphForce;
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        stage = "dispatch";
        SphForce::dispatch(particles, step, phases);
    }
    Work retrieve(ParticleSet& particles, Phases& phases) override {
        stage = "retrieve";
        return SphForce::retrieve(particles, phases);
    }
    std::string stage;
};

SphSettings settings(Lists lists, std::shared_ptr<Device> device) {
    SphSettings settings;
    settings.neighbours = 30;
    settings.search.lists = lists;
    settings.search.reuse_steps = 4;
    settings.search.device = std::move(device);
    return settings;
}

struct Trial {
    Trial(Lists lists, std::shared_ptr<Device> device)
        : particles(std::make_shared<ParticleSet>(random_gas<3>(300, 3))),
          sim(particles, timestep),
          sph(std::make_shared<WatchedSph>(settings(lists, std::move(device)))) {
        std::ranges::fill((*particles)[smoothing_length], 0.0);
        sim.add_force(sph);
        sim.add_force(gravity(0.05, 1, {.accuracy = 1e-3}));
    }
    std::shared_ptr<ParticleSet> particles;
    Simulation sim;
    std::shared_ptr<WatchedSph> sph;
};

// Runs until the device fails, and on another to the end; returns the stage in which it failed.
std::string run_over_a_failure(Trial& run) {
    std::string stage;
    while (run.sim.step_count() < steps || !run.sim.reached(steps * timestep)) {
        try {
            run.sim.step();
        } catch (const DeviceError&) {
            stage = run.sph->stage;
            run.sph->use_devices(open_device("cpu"));
        }
    }
    return stage;
}

class FailingDeviceOfGas : public testing::TestWithParam<Lists> {};

TEST_P(FailingDeviceOfGas, another_takes_over_bit_for_bit) {
    Trial unbroken(GetParam(), open_device("cpu"));
    EXPECT_EQ(run_over_a_failure(unbroken), "");
    std::set<std::string> stages;
    for (int good_launches = 0; good_launches < 120; good_launches += 7) {
        Trial run(GetParam(), std::make_shared<FaultyDevice>(Fault::lost, good_launches));
        stages.insert(run_over_a_failure(run));
        SCOPED_TRACE(std::to_string(good_launches) + " good launches");
        expect_same_bits(*run.particles, *unbroken.particles);
    }
    EXPECT_TRUE(stages.contains("dispatch"));
    EXPECT_TRUE(stages.contains("retrieve"));
}

INSTANTIATE_TEST_SUITE_P(With, FailingDeviceOfGas, testing::Values(Lists::rebuild, Lists::reuse),
                         [](const auto& of) { return of.param == Lists::reuse ? "reuse" : "rebuild"; });

}  // namespace trellis::failing_device_gas_test
