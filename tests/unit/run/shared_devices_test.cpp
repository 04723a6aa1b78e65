// Several devices share a force: the same bits as on one, about equal counts of pairs, and a step that one of them
// fails is repeated on the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "trellis/devices/remote/open.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/error_message.hpp"
#include "unit/run/device_cases.hpp"

namespace trellis::shared_devices_test {

using Notes = std::vector<std::string>;

struct Outcome {
    std::shared_ptr<ParticleSet> particles;
    std::vector<std::uint64_t> pairs;  // of each device, at the last step
    Notes notes;
};

Outcome run(const DeviceCase& of, const Devices& devices, const Notes& spares = {}) {
    const auto particles = of.particles();
    Simulation sim(particles, of.timestep);
    const auto force = of.force(devices);
    sim.add_force(force);
    sim.set_spares(spares);
    sim.run_steps(4);
    return {particles, force->device_use()->pairs, sim.take_device_notes()};
}

// `count` devices with the kernels of the processor.
Devices processors(std::size_t count) {
    const Notes names{"cpu", "rehearsal:0", "rehearsal:0.0"};
    return OpenDevices().of({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)});
}

class SharedDevices : public testing::TestWithParam<DeviceCase> {};
INSTANTIATE_TEST_SUITE_P(Of, SharedDevices, testing::ValuesIn(all_device_cases()),
                         [](const auto& of) { return std::string(of.param.name); });

TEST_P(SharedDevices, give_the_bits_of_one_in_equal_shares) {
    const Outcome alone = run(GetParam(), processors(1));
    for (const std::size_t count : {2, 3}) {
        const Outcome shared = run(GetParam(), processors(count));
        expect_same_bits(*shared.particles, *alone.particles);
        ASSERT_EQ(shared.pairs.size(), count);
        EXPECT_EQ(std::accumulate(shared.pairs.begin(), shared.pairs.end(), std::uint64_t{0}), alone.pairs[0]);
        const auto [least, most] = std::ranges::minmax(shared.pairs);
        EXPECT_LT(static_cast<double>(most), 1.05 * static_cast<double>(least));
    }
}

TEST_P(SharedDevices, continue_without_one_that_fails_in_the_middle_of_a_step) {
    const Outcome alone = run(GetParam(), processors(1));
    for (const Fault fault : {Fault::lost, Fault::wrong})
        for (const int good_launches : {0, 4}) {
            const std::shared_ptr<Device> faulty = std::make_shared<FaultyDevice>(fault, good_launches);
            const Devices good = processors(2);
            const Outcome shared = run(GetParam(), Devices({good.all()[0], faulty, good.all()[1]}));
            expect_same_bits(*shared.particles, *alone.particles);
            const std::string why = fault == Fault::lost ? "was lost" : "gave a force that is not finite";
            EXPECT_EQ(shared.notes, Notes{"device faulty:0 " + why + ": its work goes to cpu, rehearsal:0"});
            EXPECT_EQ(shared.pairs.size(), 2U);
        }
}

TEST(SharedDevicesOfAForce, have_a_spare_when_all_have_failed) {
    const DeviceCase of = gravity_on_devices("G3", Send::indices, Lists::reuse);
    const std::shared_ptr<Device> first = std::make_shared<FaultyDevice>(Fault::lost, 9, "faulty:1");
    const std::shared_ptr<Device> second = std::make_shared<FaultyDevice>(Fault::lost, 60, "faulty:2");
    const Outcome shared = run(of, Devices({first, second}), {"cpu"});
    EXPECT_EQ(shared.notes, (Notes{"device faulty:1 was lost: its work goes to faulty:2",
                                   "device faulty:2 has failed: cpu takes its place"}));
    expect_same_bits(*shared.particles, *run(of, processors(1)).particles);
}

TEST(SharedDevicesOfAForce, are_named_once_and_without_the_host) {
    EXPECT_EQ(message_of([] { OpenDevices().of({"cpu", "host"}); }),
              "device names host among others: allowed in a list are devices, such as cpu and cuda:0");
    EXPECT_EQ(message_of([] { OpenDevices().of({}); }),
              "device is an empty list: allowed are host, or names such as cpu and cuda:0");
    EXPECT_EQ(message_of([] { OpenDevices().of({"cpu", "rehearsal:0", "cpu"}); }),
              "device names cpu twice: allowed in a list is each device once");
    EXPECT_TRUE(OpenDevices().of({"host"}).none());
}

}  // namespace trellis::shared_devices_test
