#include "trellis/run/simulation.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/error_message.hpp"
#include "unit/run/moving_particles.hpp"
#include "unit/with_threads.hpp"

namespace trellis::simulation_test {

using namespace fields;

std::unique_ptr<Simulation> plummer_run(std::shared_ptr<ParticleSet> particles,
                                        const ForceSettings& settings = {.accuracy = 1e-3}) {
    auto sim = std::make_unique<Simulation>(std::move(particles), 0.01);
    sim->add_force(gravity(0.05, 1, settings));
    return sim;
}

// Checkpoints at many steps of a run; each one, resumed, ends as the run did.
void expect_resumable(const ForceSettings& settings) {
    const auto unbroken = moving_plummer(500);
    const auto whole = plummer_run(unbroken, settings);
    std::vector<std::shared_ptr<ParticleSet>> checkpoints;
    std::vector<double> times;
    for (int step = 0; step < 140; ++step) {  // past the steps at which rows are sorted
        if (step % 35 == 0 || step == 63 || step == 64 || step == 128) {
            whole->ensure_forces();
            checkpoints.push_back(copy_of(*unbroken));
            times.push_back(whole->time());
        } else {
            checkpoints.push_back(nullptr);
            times.push_back(0);
        }
        whole->step();
    }
    for (std::size_t step = 0; step < checkpoints.size(); ++step) {
        if (!checkpoints[step]) continue;
        SCOPED_TRACE(testing::Message() << "resumed at step " << step);
        const auto resumed = plummer_run(checkpoints[step], settings);
        resumed->resume(times[step], step);
        while (resumed->step_count() < 140) resumed->step();
        EXPECT_EQ(resumed->time(), whole->time());
        expect_same_bits(*checkpoints[step], *unbroken);
    }
}

TEST(Simulation, resumed_at_any_step_goes_on_bit_for_bit) { expect_resumable({.accuracy = 1e-3}); }

// Lists are rebuilt early now and then where openings may grow only little.
TEST(Simulation, resumed_between_constructions_reuses_the_same_lists) {
    for (const double growth : {0.05, 1.0})
        expect_resumable({.accuracy = 1e-3, .lists = Lists::reuse, .reuse_steps = 12, .opening_growth = growth});
    expect_resumable({.theta = 0.7, .method = Method::tree, .order = 1, .lists = Lists::reuse, .reuse_steps = 10});
}

TEST(Simulation, has_the_same_bits_for_any_number_of_threads) {
    const auto run = [](int threads) {
        const auto particles = moving_plummer(800);
        with_threads(threads, [&] { plummer_run(particles)->run_until(0.2); });
        return particles;
    };
    const auto alone = run(1);
    for (const int threads : {2, 3}) expect_same_bits(*run(threads), *alone);
}

TEST(Simulation, keeps_every_particles_identity_when_it_sorts_rows) {
    const auto particles = moving_plummer(300);
    std::vector<double> masses((*particles)[mass].begin(), (*particles)[mass].end());
    plummer_run(particles)->run_until(0.7);
    std::vector<int> visits(300, 0);
    for (std::size_t row = 0; row < 300; ++row) {
        const std::uint64_t who = (*particles)[id][row];
        ASSERT_LT(who, 300U);
        ++visits[who];
        EXPECT_EQ((*particles)[mass][row], masses[who]);
    }
    EXPECT_EQ(visits, std::vector<int>(300, 1));
    EXPECT_FALSE(std::ranges::is_sorted((*particles)[id])) << "rows were never sorted: this test tests nothing";
}

TEST(Simulation, counts_time_and_steps) {
    const auto sim = plummer_run(moving_plummer(50));
    EXPECT_EQ(sim->time(), 0);
    sim->step();
    EXPECT_EQ(sim->step_count(), 1U);
    EXPECT_DOUBLE_EQ(sim->time(), 0.01);
    sim->run_until(0.1);
    EXPECT_EQ(sim->step_count(), 10U);
    sim->run_until(0.1);
    sim->run_until(0.05);
    EXPECT_EQ(sim->step_count(), 10U);
    EXPECT_EQ(sim->timestep(), 0.01);
}

TEST(Simulation, reaches_an_end_by_a_shorter_last_step) {
    const auto sim = plummer_run(moving_plummer(50));
    sim->run_until(0.024);
    EXPECT_EQ(sim->time(), 0.024);
    EXPECT_EQ(sim->step_count(), 3U);
    EXPECT_EQ(sim->timestep(), 0.01);
    sim->run_steps(1);
    EXPECT_DOUBLE_EQ(sim->time(), 0.034);  // a full step again
    sim->run_until(0.04, false);
    EXPECT_DOUBLE_EQ(sim->time(), 0.044);
}

TEST(Simulation, names_what_is_not_given) {
    EXPECT_EQ(message_of([] { const Simulation of_none(nullptr, 0.01); }), "particles is a null pointer");
    const auto sim = plummer_run(moving_plummer(50));
    EXPECT_EQ(message_of([&] { sim->add_force(nullptr); }), "force is a null pointer");
    EXPECT_EQ(message_of([&] { sim->run_until(std::numeric_limits<double>::quiet_NaN()); }),
              "end is nan: allowed is a time");
    EXPECT_EQ(sim->step_count(), 0U);
}

// The last step is shorter: particles without forces go as far as the time does.
TEST(Simulation, moves_particles_by_the_length_of_the_last_step) {
    const auto particles = std::make_shared<ParticleSet>(1);
    (*particles)[velocity][0] = {1, 2, 3};
    Simulation sim(particles, 0.5);
    sim.run_until(1.25);
    EXPECT_EQ((*particles)[position][0], (Vec3<double>{1.25, 2.5, 3.75}));
}

// An end that steps reach up to rounding takes no further step, and changes no bit.
TEST(Simulation, has_the_same_bits_with_ends_on_the_way) {
    const auto unbroken = moving_plummer(100), halted = moving_plummer(100);
    const auto whole = plummer_run(unbroken), parts = plummer_run(halted);
    whole->run_steps(30);
    for (int end = 3; end <= 30; end += 3) parts->run_until(0.01 * end);
    EXPECT_EQ(parts->step_count(), 30U);
    EXPECT_EQ(parts->time(), whole->time());
    expect_same_bits(*halted, *unbroken);
}

TEST(Simulation, keeps_the_order_of_rows_and_the_bits_of_each_particle) {
    const auto sorted = moving_plummer(300), kept = moving_plummer(300);
    const auto sorting = plummer_run(sorted), keeping = plummer_run(kept);
    keeping->keep_order(true);
    for (const auto& sim : {sorting.get(), keeping.get()}) sim->run_steps(70);
    EXPECT_TRUE(std::ranges::is_sorted((*kept)[id]));
    EXPECT_FALSE(std::ranges::is_sorted((*sorted)[id]));
    for (std::size_t row = 0; row < 300; ++row) {
        const std::uint64_t who = (*sorted)[id][row];
        EXPECT_EQ((*sorted)[position][row], (*kept)[position][who]);
        EXPECT_EQ((*sorted)[velocity][row], (*kept)[velocity][who]);
    }
}

TEST(Simulation, adds_forces_together) {
    const auto one = moving_plummer(200), two = moving_plummer(200);
    Simulation single(one, 0.01), twice(two, 0.01);
    const ForceSettings exact{.theta = 1e-9, .precision = Precision::double_};
    single.add_force(gravity(0.1, 3, exact));
    twice.add_force(gravity(0.1, 1, exact));
    twice.add_force(gravity(0.1, 2, exact));
    single.compute_forces();
    twice.compute_forces();
    for (std::size_t row = 0; row < 200; ++row)
        EXPECT_NEAR((*one)[potential][row], (*two)[potential][row], 1e-12 * std::abs((*one)[potential][row]));
    EXPECT_EQ(twice.work().pairs, 2 * single.work().pairs);
    EXPECT_LT(twice.force_error(50, 1).maximum, 1e-12);
}

TEST(Simulation, without_forces_drifts) {
    const auto particles = std::make_shared<ParticleSet>(1);
    (*particles)[velocity][0] = {1, 2, 3};
    Simulation sim(particles, 0.5);
    sim.run_until(2);
    EXPECT_EQ((*particles)[position][0], (Vec3<double>{2, 4, 6}));
}

TEST(Simulation, of_no_particles_runs) {
    const auto sim = plummer_run(std::make_shared<ParticleSet>(0));
    sim->run_until(0.05);
    EXPECT_EQ(sim->step_count(), 5U);
    EXPECT_EQ(sim->force_error(10, 1).rms, 0);
}

TEST(Simulation, measures_each_phase_of_the_last_step) {
    const auto sim = plummer_run(moving_plummer(5000));
    sim->step();
    for (const Phase phase : {Phase::calculate_key, Phase::sort_key, Phase::link_tree_cell, Phase::calculate_moments,
                              Phase::make_interaction_list, Phase::force_kernel, Phase::integration})
        EXPECT_GT(sim->phases().seconds(phase), 0) << phase_names[static_cast<std::size_t>(phase)];
    EXPECT_GT(sim->work().pairs, 5000U);
}

TEST(Simulation, refuses_a_time_step_out_of_range) {
    const auto refusal = [](double timestep) {
        return message_of([&] { Simulation(std::make_shared<ParticleSet>(1), timestep); });
    };
    EXPECT_EQ(refusal(0), "timestep is 0: allowed is above 0");
    EXPECT_EQ(refusal(-0.1), "timestep is -0.1: allowed is above 0");
    EXPECT_EQ(refusal(std::numeric_limits<double>::quiet_NaN()), "timestep is nan: allowed is above 0");
    EXPECT_EQ(refusal(std::numeric_limits<double>::infinity()), "timestep is inf: allowed is above 0");
}

TEST(Simulation, says_which_particle_ran_away) {
    const auto particles = moving_plummer(20);
    const auto sim = plummer_run(particles);
    sim->step();
    (*particles)[velocity][7] = {0, std::numeric_limits<double>::infinity(), 0};
    EXPECT_EQ(message_of([&] { sim->step(); }),
              "column 'position' is infinite at index 7: only finite values are allowed");
}

}  // namespace trellis::simulation_test
