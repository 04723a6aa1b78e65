// Particles that stay on a device which fails: a spare continues from the last saved state with the same bits.
#include <gtest/gtest.h>

#include "trellis/compile.hpp"
#include "trellis/devices/redundant/redundant_device.hpp"
#include "trellis/forces/external/built_in_fields.hpp"
#include "trellis/resident/resident_simulation.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/error_message.hpp"
#include "unit/resident/reused_lists.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis::resident_failing_test {

constexpr double timestep = 0.01, begin = 0.5;

struct Trial {
    Trial(std::shared_ptr<Device> device, std::shared_ptr<SpareDevices> spares,
          const ForceSettings& settings = reused_lists())
        : particles(moving_plummer(400)),
          sim(*particles, 0.05, 1, settings, timestep, std::move(device), std::move(spares)) {
        sim.add_external(external_field(external::Nfw{.mass = 2, .scale_radius = 1}));
        sim.set_time(begin);
    }
    // Steps of which the last is shorter, a look at the particles, new forces, and more steps. A state is saved after
    // the first step in any case: lists are in use then.
    void run() {
        sim.run_until(begin + 5.5 * timestep);
        sim.download(*particles);
        sim.compute_forces();
        sim.run_steps(6);
        sim.save(*particles);
    }

    std::shared_ptr<ParticleSet> particles;
    ResidentSimulation sim;
};

std::shared_ptr<Device> good(const std::string& name) { return std::make_shared<FaultyDevice>(Fault::none, 0, name); }

std::shared_ptr<SpareDevices> spares_of(const std::vector<std::shared_ptr<Device>>& devices) {
    auto spares = std::make_shared<SpareDevices>();
    for (const auto& device : devices) spares->add(device);
    return spares;
}

void expect_same(Trial& run, const Trial& unbroken) {
    expect_same_bits(*run.particles, *unbroken.particles);
    EXPECT_EQ(run.sim.time(), unbroken.sim.time());
    EXPECT_EQ(run.sim.step_count(), unbroken.sim.step_count());
    EXPECT_EQ(run.sim.list_use().constructions, unbroken.sim.list_use().constructions);
    EXPECT_EQ(run.sim.list_use().reuses, unbroken.sim.list_use().reuses);
}

// From the first launch to the last.
TEST(DeviceResidentFailing, continues_with_a_spare_bit_for_bit) {
    for (const ForceSettings& settings : {reused_lists(), reused_lists(0), reused_expansions()}) {
        Trial unbroken(good("a:0"), nullptr, settings);
        unbroken.run();
        for (const int good_launches : {0, 1, 60, 250, 500, 800, 1000}) {
            Trial run(std::make_shared<FaultyDevice>(Fault::lost, good_launches), spares_of({good("b:0")}), settings);
            run.run();
            expect_same(run, unbroken);
            EXPECT_EQ(run.sim.take_device_notes(),
                      std::vector<std::string>{"device faulty:0 has failed: b:0 takes its place"})
                << good_launches;
        }
    }
}

// Values that the caller has changed are repeated with the steps.
TEST(DeviceResidentFailing, continues_with_what_was_changed) {
    const auto run_changed = [](Trial& trial) {
        trial.sim.run_steps(4);
        trial.sim.download(*trial.particles);
        (*trial.particles)[mass][7] *= 30;
        (*trial.particles)[velocity][3] = {0, 0, 0};
        EXPECT_TRUE(trial.sim.take_changes(*trial.particles));
        EXPECT_FALSE(trial.sim.take_changes(*trial.particles));
        trial.sim.run_steps(5);
        (*trial.particles)[mass][9] *= 30;
        EXPECT_TRUE(trial.sim.take_changes(*trial.particles));
        trial.sim.run_steps(2);
        trial.sim.save(*trial.particles);
    };
    Trial unbroken(good("a:0"), nullptr);
    run_changed(unbroken);
    for (const int good_launches : {100, 250, 350, 450, 600}) {
        Trial run(std::make_shared<FaultyDevice>(Fault::lost, good_launches), spares_of({good("b:0")}));
        run_changed(run);
        expect_same(run, unbroken);
    }
}

TEST(DeviceResidentFailing, continues_when_spares_fail_too) {
    Trial unbroken(good("a:0"), nullptr);
    unbroken.run();
    const auto broken = [](int good_launches, const char* name) {
        return std::make_shared<FaultyDevice>(Fault::lost, good_launches, name);
    };
    Trial run(broken(300, "a:0"), spares_of({broken(0, "b:0"), broken(200, "c:0"), good("d:0")}));
    run.run();
    expect_same(run, unbroken);
    EXPECT_EQ(run.sim.take_device_notes().size(), 3U);
}

// The threads of the process are a spare as well.
TEST(DeviceResidentFailing, continues_on_the_host) {
    Trial unbroken(good("a:0"), nullptr);
    unbroken.run();
    Trial run(std::make_shared<FaultyDevice>(Fault::lost, 300),
              std::make_shared<SpareDevices>(std::vector<std::string>{"host"}, 0, usual_grace));
    run.run();
    expect_same(run, unbroken);
}

// A state that is downloaded from a pair shows which device is faulty, and that device is removed.
TEST(DeviceResidentFailing, continues_without_a_faulty_device_of_a_pair) {
    Trial unbroken(good("a:0"), nullptr);
    unbroken.run();
    const auto faulty = std::make_shared<FaultyDevice>(Fault::one_bit_each, 300, "a:1");
    const auto spares = spares_of({good("a:2")});
    Trial run(std::make_shared<RedundantDevice>(RedundantDevice::Members{good("a:0"), faulty}, spares), spares);
    run.run();
    expect_same(run, unbroken);
    EXPECT_NE(run.sim.take_device_notes().front().find("gave two results that differ"), std::string::npos);
}

TEST(DeviceResidentFailing, ends_in_a_sentence_when_no_device_is_left) {
    for (const auto& spares : {std::shared_ptr<SpareDevices>(), spares_of({}),
                               spares_of({std::make_shared<FaultyDevice>(Fault::lost, 0, "b:0")})}) {
        Trial run(std::make_shared<FaultyDevice>(Fault::lost, 700), spares);
        const std::string message = message_of<DeviceError>([&] { run.run(); });
        EXPECT_NE(message.find(" was lost"), std::string::npos);
        EXPECT_GE(run.sim.time(), begin);
        EXPECT_EQ(message_of<DeviceError>([&] { run.sim.step(); }), message);
    }
}

}  // namespace trellis::resident_failing_test
