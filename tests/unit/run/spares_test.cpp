// Devices that take the place of those that fail: the run goes on by itself, and ends with the bits of an unbroken one.
#include "trellis/run/spares.hpp"

#include <gtest/gtest.h>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::spares_test {

constexpr ForceSettings by_tree{
    .theta = 0.5, .method = Method::tree, .order = 1, .lists = Lists::reuse, .reuse_steps = 3};
using Notes = std::vector<std::string>;

// The particles after some steps with two forces, on these devices.
std::shared_ptr<ParticleSet> after_steps(const Devices& first, const Devices& second,
                                         const std::vector<std::string>& spares, Notes& notes) {
    auto particles = moving_plummer(300);
    Simulation sim(particles, 0.01);
    sim.add_force(gravity(0.05, 0.5, by_tree, first));
    sim.add_force(gravity(0.05, 0.3, by_tree, second));
    sim.set_spares(spares);
    sim.run_steps(8);
    notes = sim.take_device_notes();
    return particles;
}

class SparesTest : public testing::TestWithParam<Fault> {};

TEST_P(SparesTest, a_device_that_fails_is_replaced_with_the_same_bits) {
    Notes notes;
    const auto expected = after_steps(open_device("cpu"), open_device("cpu"), {}, notes);
    EXPECT_TRUE(notes.empty());
    for (const int good_launches : {0, 5, 20}) {
        const auto faulty = std::make_shared<FaultyDevice>(GetParam(), good_launches);
        expect_same_bits(*after_steps(faulty, open_device("cpu"), {"cpu"}, notes), *expected);
        EXPECT_EQ(notes, Notes{"device faulty:0 has failed: cpu takes its place"});
    }
}

TEST_P(SparesTest, forces_that_shared_a_device_share_its_spare) {
    Notes notes;
    const auto expected = after_steps(open_device("cpu"), open_device("cpu"), {}, notes);
    for (int good_launches = 0; good_launches < 24; ++good_launches) {  // some of them fail between the two forces
        const auto faulty = std::make_shared<FaultyDevice>(GetParam(), good_launches);
        expect_same_bits(*after_steps(faulty, faulty, {"cpu"}, notes), *expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Faults, SparesTest, testing::Values(Fault::lost, Fault::wrong));

TEST(SparesTest, may_have_the_name_of_the_device_that_they_replace) {
    Notes notes;
    const auto expected = after_steps(open_device("cpu"), open_device("cpu"), {}, notes);
    for (int good_launches = 0; good_launches < 12; ++good_launches) {
        const auto faulty = std::make_shared<FaultyDevice>(Fault::lost, good_launches, "cpu");
        expect_same_bits(*after_steps(faulty, faulty, {"cpu"}, notes), *expected);
        EXPECT_EQ(notes, Notes{"device cpu has failed: cpu takes its place"});
    }
}

TEST(SparesTest, replace_a_device_that_proves_lost_when_it_is_to_take_over) {
    Notes notes;
    const auto expected = after_steps(open_device("cpu"), open_device("cpu"), {}, notes);
    const auto lost = std::make_shared<FaultyDevice>(Fault::lost, 1, "faulty:1");
    const auto lost_too = std::make_shared<FaultyDevice>(Fault::lost, 1, "faulty:2");
    const auto particles = after_steps(Devices({lost, lost_too}), open_device("cpu"), {"cpu"}, notes);
    expect_same_bits(*particles, *expected);
    EXPECT_EQ(notes, (Notes{"device faulty:1 was lost: its work goes to faulty:2",
                            "device faulty:2 has failed: cpu takes its place"}));
}

TEST(SparesTest, are_taken_in_order_and_passed_over_if_they_cannot_be_had) {
    Notes notes;
    after_steps(std::make_shared<FaultyDevice>(Fault::lost, 3), open_device("cpu"), {"cuda:99", "host"}, notes);
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_TRUE(notes[0].starts_with("the spare device cuda:99 cannot be had: there is no device 'cuda:99'"));
    EXPECT_EQ(notes[1], "device faulty:0 has failed: host takes its place");
}

TEST(SparesTest, the_failure_is_thrown_when_all_are_taken) {
    Notes notes;
    const auto first = std::make_shared<FaultyDevice>(Fault::lost, 3);
    const auto second = std::make_shared<FaultyDevice>(Fault::lost, 20, "faulty:1");
    EXPECT_THROW(after_steps(first, second, {"cpu"}, notes), DeviceError);
    EXPECT_THROW(after_steps(first, second, {}, notes), DeviceError);
}

TEST(SparesTest, on_three_ranks_one_is_replaced_and_all_go_on) {
    const auto start = moving_plummer(300);
    const auto run = [&](const std::function<std::shared_ptr<Device>(const Comm&)>& device_of) {
        const auto end = copy_of(*start);
        gravity(0.05, 1, by_tree)->attach(*end, 0);
        run_ranks(3, [&](Comm& comm) {
            const auto sim = simulation_on(comm, all_on_first(comm, *start), [&] {
                return std::vector<std::shared_ptr<Force>>{gravity(0.05, 1, by_tree, device_of(comm))};
            });
            sim->set_spares({"cpu"});
            sim->run_steps(6);
            put_by_id(sim->particles(), *end);
        });
        return end;
    };
    const auto good = [](const Comm&) { return open_device("cpu"); };
    const auto one_fails = [](const Comm& comm) -> std::shared_ptr<Device> {
        if (comm.rank() == 1) return std::make_shared<FaultyDevice>(Fault::lost, 12);
        return open_device("cpu");
    };
    expect_same_bits(*run(one_fails), *run(good));
}

}  // namespace trellis::spares_test
