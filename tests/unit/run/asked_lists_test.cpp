// A gas whose neighbour lists a device makes a step ahead (case PS-RGN): the same gas, whatever fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "trellis/devices/cpu_device.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/forces/sph/gas.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::asked_lists_test {

constexpr std::uint64_t steps = 7;  // fewer than eight lists
constexpr double timestep = 2e-4;

std::shared_ptr<Device> good() { return make_cpu_device(std::size_t{1} << 28, 1); }

SphSettings settings(std::uint32_t reuse_steps, double skin, const std::shared_ptr<Device>& device) {
    SphSettings settings;
    settings.neighbours = 30;
    settings.search.lists = reuse_steps > 1 ? Lists::reuse : Lists::rebuild;
    settings.search.reuse_steps = reuse_steps;
    settings.search.skin_ratio = skin;
    settings.neighbours_device = device;
    return settings;
}

struct GasRun {
    GasRun(std::uint32_t reuse_steps, double skin, const std::shared_ptr<Device>& device)
        : particles(std::make_shared<ParticleSet>(random_gas<3>(300, 3))),
          sim(particles, timestep),
          sph(std::make_shared<SphForce>(settings(reuse_steps, skin, device))) {
        std::ranges::fill((*particles)[smoothing_length], 0.0);
        sim.add_force(sph);
        sim.add_force(gravity(0.05, 1, {.accuracy = 1e-3}));
        while (sim.step_count() < steps) sim.step();
    }
    std::shared_ptr<ParticleSet> particles;
    Simulation sim;
    std::shared_ptr<SphForce> sph;
};

TEST(AskedLists, serve_the_steps_after_the_one_at_which_they_were_asked_for) {
    EXPECT_EQ(GasRun(1, 0.3, good()).sph->list_use().asked, steps);
    EXPECT_EQ(GasRun(3, 0.3, good()).sph->list_use().asked, steps / 3);
    EXPECT_EQ(GasRun(3, 0.3, nullptr).sph->list_use().asked, 0U);
}

// The host sends trees, the device its lists, at the steps at which lists begin to serve; memory of a device that
// computes the gas as well is counted once.
TEST(AskedLists, are_in_the_use_of_devices) {
    GasRun here(3, 0.3, nullptr), asked(3, 0.3, good());
    EXPECT_EQ(here.sph->device_use(), nullptr);
    ASSERT_NE(asked.sph->device_use(), nullptr);
    for (const bool begins : {false, true, false, false, true}) {  // from step 8 on, by the host
        const std::uint64_t before = asked.sph->list_use().asked;
        asked.sim.step();
        const DeviceUse& use = *asked.sph->device_use();
        ASSERT_EQ(asked.sph->list_use().asked - before, begins ? 1U : 0U) << asked.sim.step_count();
        EXPECT_EQ(use.times.bytes_up > 0, begins);
        EXPECT_EQ(use.times.bytes_down > 300 * sizeof(std::uint32_t), begins);
        EXPECT_GT(use.bytes, 0U);
    }
}

TEST(AskedLists, of_the_device_that_computes_the_gas_add_no_memory_of_another) {
    const auto device = good();
    SphSettings both = settings(1, 0.3, device);
    both.search.device = device;
    const auto particles = std::make_shared<ParticleSet>(random_gas<3>(300, 3));
    Simulation sim(particles, timestep);
    const auto sph = std::make_shared<SphForce>(both);
    sim.add_force(sph);
    sim.step();
    EXPECT_EQ(sph->device_use()->bytes, device->memory_bytes() - device->memory_left());
}

// Sums in single precision are in another order.
TEST(AskedLists, give_the_gas_of_lists_made_by_the_host_within_rounding) {
    const GasRun asked(1, 0.3, good()), here(1, 0.3, nullptr);
    for (std::size_t row = 0; row < here.particles->size(); ++row) {
        EXPECT_NEAR((*asked.particles)[density][row], (*here.particles)[density][row],
                    1e-5 * (*here.particles)[density][row]);
        EXPECT_NEAR((*asked.particles)[internal_energy][row], (*here.particles)[internal_energy][row], 1e-4);
    }
}

// Without a skin any movement ends the lists: then the gas is that of lists made at each step.
TEST(AskedLists, are_made_by_the_host_where_particles_have_moved_beyond_the_skin) {
    const GasRun asked(1, 0, good()), here(1, 0, nullptr);
    EXPECT_EQ(asked.sph->list_use().asked, 0U);
    EXPECT_EQ(asked.sph->list_use().early, steps);
    expect_same_bits(*here.particles, *asked.particles);
}

TEST(AskedLists, of_a_device_that_fails_are_made_by_the_host_bit_for_bit) {
    for (const std::uint32_t reuse_steps : {1U, 3U}) {
        const GasRun unbroken(reuse_steps, 0.3, good());
        for (const Fault fault : {Fault::lost, Fault::wrong})
            for (int good_launches = 0; good_launches < 4; ++good_launches) {
                GasRun run(reuse_steps, 0.3, std::make_shared<FaultyDevice>(fault, good_launches));
                const auto notes = run.sim.take_device_notes();
                ASSERT_EQ(notes.size(), 1U);
                EXPECT_TRUE(notes[0].starts_with("device faulty:0 ") && notes[0].ends_with("the host makes its lists"))
                    << notes[0];
                expect_same_bits(*run.particles, *unbroken.particles);
            }
    }
}

// A device that is lost before it is asked makes lists as one does that is not: of ghosts and images, too.
TEST(AskedLists, are_the_same_on_ranks_where_one_has_lost_its_device) {
    ParticleSet start = random_gas<3>(600, 5);
    start.set_region(unit_box<3>);
    for (auto& v : start[velocity]) v = 0.02 * v;
    std::ranges::fill(start[internal_energy], 1e-3);
    std::ranges::fill(start[smoothing_length], 0.0);
    const auto run = [&](int faulty) {
        std::atomic<std::uint64_t> asked = 0;
        std::atomic<int> made = 0;
        const auto end = run_on_ranks(
            3, start,
            [&]() -> std::vector<std::shared_ptr<Force>> {
                std::shared_ptr<Device> device = good();
                if (made++ == faulty) device = std::make_shared<FaultyDevice>(Fault::lost, 3);
                return {std::make_shared<SphForce>(settings(2, 0.3, device))};
            },
            steps, [&](Simulation& sim) { asked += sim.forces()[0]->list_use().asked; });
        EXPECT_GT(asked, 0U);
        return end;
    };
    expect_same_bits(*run(2), *run(-1));
}

}  // namespace trellis::asked_lists_test
