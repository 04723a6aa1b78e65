// Steps as long as the forces allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "trellis/base/error.hpp"
#include "trellis/forces/allowed_steps.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/error_message.hpp"
#include "unit/run/plain_force.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::chosen_steps_test {

using namespace fields;

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Allows the given step, and fails if `fails` is set.
struct Limited final : PlainForce {
    explicit Limited(double limit) : limit(limit) {}
    void allowed_steps(const ParticleSet&, double, const ActiveRows& rows, Comm* /*ranks*/,
                       std::span<double> steps) const override {
        lower_steps(rows, steps, [&](std::uint32_t) { return limit; });
    }
    void dispatch(ParticleSet&, const ForceStep& step, Phases&) override {
        since_kick = step.since_kick;
        if (fails) throw RunError("failed");
    }
    double limit, since_kick = 0;
    bool fails = false;
};

struct ChosenSteps : testing::Test {
    std::shared_ptr<Limited> force = std::make_shared<Limited>(1.0);
    std::shared_ptr<ParticleSet> particles = moving_plummer(10);
    Simulation sim{particles, std::nullopt};
    void SetUp() override { sim.add_force(force); }
};

TEST_F(ChosenSteps, begin_short_grow_slowly_and_follow_the_limit_down_at_once) {
    EXPECT_EQ(sim.timestep(), 0);
    for (double expected = 0.1; expected < 1; expected *= 1.1) {
        sim.step();
        EXPECT_DOUBLE_EQ(sim.timestep(), expected);
    }
    sim.step();
    EXPECT_EQ(sim.timestep(), 1);
    force->limit = 0.25;
    const double before = sim.time();
    sim.step();
    EXPECT_EQ(sim.timestep(), 0.25);
    EXPECT_EQ(sim.time(), before + 0.25);
    EXPECT_EQ(force->since_kick, 0.125);
    force->limit = 100;
    sim.step();
    EXPECT_DOUBLE_EQ(sim.timestep(), 0.275);
}

TEST_F(ChosenSteps, reach_an_end_exactly_by_equal_steps) {
    while (sim.timestep() < 1) sim.step();
    for (const double steps : {0.01, 0.3, 1.0, 2.1, 12.7}) {
        const double end = sim.time() + steps;
        const auto before = sim.step_count();
        while (!sim.reached(end)) {
            sim.step(end);
            EXPECT_LE(sim.timestep(), 1);
            EXPECT_NEAR(sim.timestep(), steps / std::ceil(steps), 1e-12);
        }
        EXPECT_EQ(sim.time(), end);
        EXPECT_EQ(static_cast<double>(sim.step_count() - before), std::ceil(steps));
        EXPECT_EQ(sim.step_allowed(), 1);
    }
    sim.run_until(100.1);
    EXPECT_EQ(sim.time(), 100.1);
    sim.run_until(100.1);
    EXPECT_EQ(sim.time(), 100.1);
    sim.resume(0.03, 1, {}, {}, 1.0);
    ASSERT_NE(0.03 + (0.3 - 0.03), 0.3);
    sim.step(0.3);
    EXPECT_EQ(sim.time(), 0.3);
}

TEST_F(ChosenSteps, are_the_shortest_that_any_force_allows) {
    sim.add_force(std::make_shared<Limited>(unlimited));
    sim.add_force(std::make_shared<Limited>(0.5));
    sim.step();
    EXPECT_DOUBLE_EQ(sim.timestep(), 0.05);
}

TEST_F(ChosenSteps, are_refused_where_nothing_limits_them_or_time_would_stand_still) {
    force->limit = unlimited;
    EXPECT_EQ(message_of([&] { sim.step(1); }),
              "timestep is not given, which is allowed where a force limits it: none does");
    force->limit = 0;
    EXPECT_THROW(sim.step(1), RunError);
    EXPECT_EQ(sim.step_count(), 0U);
    force->limit = 1;
    sim.step();
    EXPECT_EQ(sim.time(), 0.1);
}

TEST_F(ChosenSteps, that_failed_go_on_with_their_length) {
    sim.ensure_forces();
    force->fails = true;
    EXPECT_THROW(sim.step(0.05), RunError);
    force->fails = false;
    force->limit = 1e-3;
    sim.step();
    EXPECT_EQ(sim.time(), 0.05);
    EXPECT_EQ(force->since_kick, 0.025);
}

// Allows each particle a step equal to its mass.
struct LimitedByMass final : PlainForce {
    void allowed_steps(const ParticleSet& particles, double, const ActiveRows& rows, Comm* /*ranks*/,
                       std::span<double> steps) const override {
        lower_steps(rows, steps, [m = particles[mass]](std::uint32_t row) { return m[row]; });
    }
};

TEST(ChosenStepsOnRanks, are_the_same_on_all) {
    const auto all = moving_plummer(50);
    for (std::size_t row = 0; row < 50; ++row) (*all)[mass][row] = 1.0 + static_cast<double>((row + 13) % 50);
    for (const int ranks : {1, 2, 3})
        run_ranks(ranks, [&](Comm& comm) {
            Simulation sim(all_on_first(comm, *all), std::nullopt, std::shared_ptr<Comm>(&comm, [](Comm*) {}));
            sim.add_force(std::make_shared<LimitedByMass>());
            for (int step = 0; step < 40; ++step) sim.step();
            EXPECT_EQ(sim.timestep(), 1);
        });
}

std::unique_ptr<Simulation> collapse(std::shared_ptr<ParticleSet> particles) {
    auto sim = std::make_unique<Simulation>(std::move(particles), std::nullopt);
    sim->add_force(gravity(0.05, 1, {.accuracy = 1e-3}));
    return sim;
}

TEST(ChosenStepsOfGravity, resumed_go_on_bit_for_bit) {
    const auto unbroken = moving_plummer(300);
    const auto whole = collapse(unbroken);
    for (int step = 0; step < 5; ++step) whole->step(1);
    const auto checkpoint = copy_of(*unbroken);
    const auto resumed = collapse(checkpoint);
    resumed->resume(whole->time(), 5, {}, {}, whole->step_allowed());
    whole->run_until(1);
    resumed->run_until(1);
    EXPECT_EQ(resumed->step_count(), whole->step_count());
    expect_same_bits(*checkpoint, *unbroken);
}

}  // namespace trellis::chosen_steps_test
