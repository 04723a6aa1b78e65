// Steps of a fixed length: the end of the last one, and the time passed to forces.
#include <gtest/gtest.h>

#include "trellis/base/error.hpp"
#include "trellis/forces/allowed_steps.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/run/moving_particles.hpp"
#include "unit/run/plain_force.hpp"

namespace trellis::fixed_steps_test {

// Records the time and length of each step, and fails if `fails` is set.
struct Noting final : PlainForce {
    void dispatch(ParticleSet&, const ForceStep& step, Phases&) override {
        times.push_back(step.time);
        lengths.push_back(2 * step.since_kick);
        if (std::exchange(fails, false)) throw RunError("it fails");
    }
    void allowed_steps(const ParticleSet&, double, const ActiveRows& rows, Comm* /*ranks*/,
                       std::span<double> steps) const override {
        lower_steps(rows, steps, [&](std::uint32_t) { return 1.0; });
    }
    std::vector<double> times, lengths;
    bool fails = false;
};

using Values = std::vector<double>;

struct FixedSteps : testing::Test {
    std::shared_ptr<Noting> force = std::make_shared<Noting>();
    Simulation sim{moving_plummer(10), 0.25};
    void SetUp() override { sim.add_force(force); }
};

TEST_F(FixedSteps, reach_an_end_exactly_by_a_shorter_last_one_and_are_full_again_after_it) {
    sim.run_until(1.1);
    EXPECT_EQ(sim.time(), 1.1);
    EXPECT_EQ(sim.step_count(), 5U);
    EXPECT_EQ(sim.timestep(), 0.25);
    sim.run_until(1.1);
    sim.run_steps(2);
    EXPECT_EQ(sim.time(), 1.6);
    EXPECT_EQ(sim.step_count(), 7U);
    EXPECT_EQ(force->lengths, (Values{0, 0.25, 0.25, 0.25, 0.25, 1.1 - 1, 0.25, 0.25}));
    EXPECT_EQ(force->times, (Values{0, 0.25, 0.5, 0.75, 1, 1.1, 1.35, 1.6}));
}

TEST_F(FixedSteps, go_beyond_an_end_that_need_not_be_exact) {
    sim.run_until(1.1, false);
    EXPECT_EQ(sim.time(), 1.25);
}

TEST_F(FixedSteps, leave_no_stump_of_a_thousandth) {
    sim.run_until(0.5002);
    EXPECT_EQ(sim.time(), 0.5002);
    EXPECT_EQ(force->lengths, (Values{0, 0.25, 0.5002 - 0.25}));
    sim.run_until(0.5003);
    EXPECT_EQ(sim.step_count(), 2U);
}

TEST_F(FixedSteps, pass_forces_the_time_of_the_positions) {
    const auto other = std::make_shared<Noting>();
    Simulation chosen(moving_plummer(10), std::nullopt);
    chosen.add_force(other);
    chosen.set_time(3);
    chosen.step();
    EXPECT_EQ(other->times, (Values{3, 3.1}));
    chosen.compute_forces();
    chosen.resume(5, 7, {}, {}, 1);
    chosen.step();
    EXPECT_EQ(other->times, (Values{3, 3.1, 3.1, 6}));
    sim.ensure_forces();
    force->fails = true;
    EXPECT_THROW(sim.step(0.2), RunError);
    EXPECT_EQ(sim.time(), 0);
    sim.step();
    EXPECT_EQ(sim.time(), 0.2);
    EXPECT_EQ(force->times, (Values{0, 0.2, 0.2}));
    EXPECT_EQ(force->lengths, (Values{0, 0.2, 0.2}));
}

std::unique_ptr<Simulation> cluster(std::shared_ptr<ParticleSet> particles, double timestep) {
    auto sim = std::make_unique<Simulation>(std::move(particles), timestep);
    sim->add_force(gravity(0.05, 1, {.accuracy = 1e-3, .lists = Lists::reuse, .reuse_steps = 3}));
    return sim;
}

// 0.004 has no exact double: 20 such steps come to 0.08 but for rounding, for which no step is shortened or stretched.
TEST(FixedStepsOfGravity, to_an_end_have_the_bits_of_as_many_full_ones) {
    const auto counted = moving_plummer(200), until = moving_plummer(200);
    const auto by_count = cluster(counted, 0.004), by_end = cluster(until, 0.004);
    by_count->run_steps(20);
    by_end->run_until(0.08);
    EXPECT_EQ(by_end->time(), by_count->time());
    EXPECT_EQ(by_end->step_count(), 20U);
    expect_same_bits(*until, *counted);
}

// Runs are resumed before the short step, and after it.
TEST(FixedStepsOfGravity, resumed_go_on_bit_for_bit) {
    for (const double stop : {0.03, 0.047}) {
        const auto unbroken = moving_plummer(200);
        const auto whole = cluster(unbroken, 0.01);
        whole->run_until(stop);
        const auto checkpoint = copy_of(*unbroken);
        const auto resumed = cluster(checkpoint, 0.01);
        resumed->resume(whole->time(), whole->step_count());
        for (Simulation* each : {whole.get(), resumed.get()}) {
            each->run_until(0.065);
            each->run_until(0.1);
            EXPECT_EQ(each->time(), 0.1);
        }
        EXPECT_EQ(resumed->step_count(), whole->step_count());
        expect_same_bits(*checkpoint, *unbroken);
    }
}

}  // namespace trellis::fixed_steps_test
