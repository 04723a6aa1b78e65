// Devices in pairs whose results are compared: a run with a faulty one ends with the bits of a run without.
#include <gtest/gtest.h>

#include "trellis/devices/redundant/device_pairs.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/error_message.hpp"
#include "unit/run/device_cases.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::redundant_devices_test {

using Notes = std::vector<std::string>;
using Spares = std::shared_ptr<SpareDevices>;

const std::string two_differ =
    "gave two results that differ; only a third device of the kind can decide which is right";

Spares spares_of(const Notes& names) { return std::make_shared<SpareDevices>(names, 0, usual_grace); }

std::shared_ptr<Device> good(const std::string& name, std::byte fresh = std::byte{0xff}) {
    return std::make_shared<FaultyDevice>(Fault::none, 0, name, fresh);
}

std::shared_ptr<Device> faulty(Fault fault, int good_launches, const std::string& name = "faulty:0") {
    return std::make_shared<FaultyDevice>(fault, good_launches, name);
}

struct Outcome {
    std::shared_ptr<ParticleSet> particles;
    Notes notes;
};

Outcome run(const DeviceCase& of, const Devices& devices, const Spares& spares = spares_of({})) {
    const auto particles = of.particles();
    Simulation sim(particles, of.timestep);
    sim.add_force(of.force(devices));
    sim.set_spares(spares);
    sim.run_steps(4);
    return {particles, sim.take_device_notes()};
}

Outcome run_in_pairs(const DeviceCase& of, std::vector<std::shared_ptr<Device>> devices, const Notes& spares = {}) {
    const Spares those = spares_of(spares);
    return run(of, DevicePairs(those).of(Devices(std::move(devices))), those);
}

class RedundantDevices : public testing::TestWithParam<DeviceCase> {};
INSTANTIATE_TEST_SUITE_P(Of, RedundantDevices, testing::ValuesIn(all_device_cases()),
                         [](const auto& of) { return std::string(of.param.name); });

// Fresh memory of the two is full of other bytes, so that nothing is brought back that has not been written.
TEST_P(RedundantDevices, agree_on_all_downloads) {
    const Outcome alone = run(GetParam(), open_device("cpu"));
    const Outcome paired = run_in_pairs(GetParam(), {good("a:0", std::byte{0x00}), good("a:1", std::byte{0x5a})});
    expect_same_bits(*paired.particles, *alone.particles);
    EXPECT_EQ(paired.notes, Notes{});
}

TEST_P(RedundantDevices, remove_a_faulty_one) {
    const Outcome alone = run(GetParam(), open_device("cpu"));
    bool first = false;  // by turns
    for (const Fault fault : {Fault::wrong, Fault::one_bit, Fault::one_bit_each})
        for (const int good_launches : {0, 2, 4}) {
            std::vector<std::shared_ptr<Device>> devices{good("good:0"), faulty(fault, good_launches)};
            first = !first;
            if (first) std::swap(devices[0], devices[1]);
            const std::string pair = devices[0]->name() + " + " + devices[1]->name();
            const Outcome paired = run_in_pairs(GetParam(), devices, {"cpu"});
            expect_same_bits(*paired.particles, *alone.particles);
            EXPECT_EQ(paired.notes,
                      (Notes{"device " + pair + " " + two_differ + ": its work goes to " + pair + " + cpu",
                             "device faulty:0 gave another result than good:0 and cpu: its work goes"
                             " to good:0 + cpu"}))
                << static_cast<int>(fault) << " after " << good_launches;
        }
}

TEST_P(RedundantDevices, replace_one_that_is_lost) {
    const Outcome alone = run(GetParam(), open_device("cpu"));
    const Outcome paired = run_in_pairs(GetParam(), {faulty(Fault::lost, 3), good("good:0")}, {"host", "cpu"});
    expect_same_bits(*paired.particles, *alone.particles);
    EXPECT_EQ(paired.notes, Notes{"device faulty:0 was lost: its work goes to good:0 + cpu"});
}

DeviceCase tree() { return gravity_on_devices("G3", Send::indices, Lists::reuse); }

TEST(RedundantDevicesOfAForce, fail_together_where_no_third_can_decide) {
    const auto of_another_kind = [](const Notes& spares) {
        return message_of<DeviceError>(
            [&] { run_in_pairs(tree(), {good("good:0"), faulty(Fault::one_bit, 9)}, spares); });
    };
    EXPECT_EQ(of_another_kind({}), "device good:0 + faulty:0 " + two_differ);
    EXPECT_EQ(of_another_kind({"cuda:99"}), "device good:0 + faulty:0 " + two_differ);
}

TEST(RedundantDevicesOfAForce, leave_a_run_without_comparison_rather_than_without_devices) {
    const Outcome alone = run(tree(), open_device("cpu"));
    const Outcome paired = run_in_pairs(tree(), {good("good:0"), faulty(Fault::lost, 9)});
    expect_same_bits(*paired.particles, *alone.particles);
    EXPECT_EQ(paired.notes, (Notes{"good:0 goes on alone: nothing compares its results any more",
                                   "device faulty:0 was lost: its work goes to good:0"}));
    const Outcome differing = run_in_pairs(tree(), {good("good:0"), faulty(Fault::one_bit_each, 9)}, {"host"});
    EXPECT_EQ(differing.notes, (Notes{"host goes on alone: nothing compares its results any more",
                                      "device good:0 + faulty:0 has failed: host takes its place"}));
}

TEST(RedundantDevicesOfAForce, are_decided_about_by_the_odd_one_or_by_another_pair) {
    const Outcome alone = run(tree(), open_device("cpu"));
    const Outcome three = run_in_pairs(tree(), {good("a:0"), faulty(Fault::one_bit, 20), good("a:1")});
    expect_same_bits(*three.particles, *alone.particles);
    ASSERT_EQ(three.notes.size(), 2U);
    EXPECT_EQ(three.notes.back(), "device faulty:0 gave another result than a:0 and a:1: its work goes to a:0 + a:1");
    const Outcome four = run_in_pairs(tree(), {good("a:0"), faulty(Fault::one_bit_each, 7), good("a:1"), good("a:2")});
    expect_same_bits(*four.particles, *alone.particles);
    ASSERT_EQ(four.notes.size(), 2U);
    EXPECT_EQ(four.notes.back(),
              "device faulty:0 gave another result than a:0 and a:1: its work goes to a:0 + a:1, a:1 + a:2");
}

TEST(RedundantDevicesOfAForce, may_all_be_faulty) {
    EXPECT_EQ(message_of<DeviceError>([] {
                  run_in_pairs(tree(),
                               {faulty(Fault::one_bit_each, 9, "faulty:0"), faulty(Fault::wrong, 9, "faulty:1")},
                               {"cpu"});
              }),
              "device faulty:0 + faulty:1 + cpu gave three results that all differ");
    const Outcome alone = run(tree(), open_device("cpu"));
    const Outcome later = run_in_pairs(tree(),
                                       {faulty(Fault::one_bit_each, 3, "faulty:0"),
                                        faulty(Fault::one_bit_each, 40, "faulty:1"), good("a:0"), good("a:1")},
                                       {"cpu"});
    expect_same_bits(*later.particles, *alone.particles);
}

TEST(RedundantDevicesOfAForce, serve_several_forces_as_one_pair) {
    const auto after_steps = [](const Devices& devices, const Spares& spares) {
        auto particles = moving_plummer(300);
        Simulation sim(particles, 0.01);
        for (const double G : {0.5, 0.3})
            sim.add_force(gravity(0.05, G, {.method = Method::tree, .order = 1}, devices));
        sim.set_spares(spares);
        sim.run_steps(5);
        EXPECT_EQ(sim.forces()[0]->devices(), sim.forces()[1]->devices());
        return particles;
    };
    const auto expected = after_steps(open_device("cpu"), spares_of({}));
    for (int good_launches = 0; good_launches < 12; ++good_launches) {
        const Spares spares = spares_of({"cpu"});
        const std::shared_ptr<Device> one_bit_off = faulty(Fault::one_bit, good_launches);
        expect_same_bits(*after_steps(DevicePairs(spares).of(Devices({good("good:0"), one_bit_off})), spares),
                         *expected);
    }
}

TEST(RedundantDevicesOfAForce, are_faulty_on_one_of_three_ranks_and_all_continue) {
    const auto start = moving_plummer(300);
    const auto end_of = [&](int faulty_rank) {
        const auto end = copy_of(*start);
        const ForceSettings settings{.theta = 0.5, .method = Method::tree, .order = 1};
        gravity(0.05, 1, settings)->attach(*end, 0);
        run_ranks(3, [&](Comm& comm) {
            const Spares spares = spares_of({"cpu"});
            const Fault fault = comm.rank() == faulty_rank ? Fault::one_bit : Fault::none;
            const Devices pairs = DevicePairs(spares).of(Devices({good("good:0"), faulty(fault, 9)}));
            const auto sim = simulation_on(comm, all_on_first(comm, *start), [&] {
                return std::vector<std::shared_ptr<Force>>{gravity(0.05, 1, settings, pairs)};
            });
            sim->set_spares(spares);
            sim->run_steps(6);
            EXPECT_EQ(sim->take_device_notes().size(), comm.rank() == faulty_rank ? 2U : 0U);
            put_by_id(sim->particles(), *end);
        });
        return end;
    };
    expect_same_bits(*end_of(1), *end_of(-1));
}

TEST(RedundantDevicesOfAForce, are_at_least_two_and_of_one_kind) {
    DevicePairs pairs(spares_of({}));
    EXPECT_EQ(message_of([&] { pairs.of(open_device("cpu")); }),
              "redundant is 2, but cpu is the only device: allowed are lists of two or more, which are compared in"
              " pairs");
    EXPECT_EQ(message_of([&] { pairs.of(Devices({good("a:0"), good("cuda:7")})); }),
              "redundant is 2, but a:0 is a processor and cuda:7 is for tests: allowed in a pair are two devices of one"
              " kind");
    const Devices both({good("a:0"), good("a:1")});
    EXPECT_EQ(pairs.of(both), pairs.of(both));
}

}  // namespace trellis::redundant_devices_test
