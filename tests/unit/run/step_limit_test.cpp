// Steps that a function of the particles limits.
#include "trellis/forces/step_limit.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis::step_limit_test {

using namespace fields;

constexpr double unlimited = std::numeric_limits<double>::infinity();

// The same step for all but one particle.
StepLimit::Function one_of(double step, std::uint64_t short_one, double shorter) {
    return [=](const ParticleSet& particles, double, const ActiveRows& rows) {
        std::vector<double> steps(rows.count(particles.size()), step);
        for (std::size_t k = 0; k < steps.size(); ++k)
            if (particles[id][rows[k]] == short_one) steps[k] = shorter;
        return steps;
    };
}

std::shared_ptr<StepLimit> limit(StepLimit::Function function) {
    return std::make_shared<StepLimit>(std::move(function), "the limit");
}

TEST(StepLimit, lowers_the_steps_of_active_rows) {
    ParticleSet particles(4);
    const auto force = limit(one_of(2, 3, 0.5));
    force->attach(particles, 0);
    const std::vector<std::uint32_t> rows{1, 3};
    std::vector<double> steps{1, unlimited};
    force->allowed_steps(particles, 0, ActiveRows(rows), nullptr, steps);
    EXPECT_EQ(steps, (std::vector<double>{1, 0.5}));
    std::vector<double> all(4, unlimited);
    force->allowed_steps(particles, 0, {}, nullptr, all);
    EXPECT_EQ(all, (std::vector<double>{2, 2, 2, 0.5}));
}

TEST(StepLimit, refuses_steps_that_are_not_above_0_and_other_numbers_of_them) {
    ParticleSet particles(4);
    std::vector<double> steps(4, unlimited);
    for (const auto& [step, text] : {std::pair{0.0, "0"}, {-1.0, "-1"}, {std::nan(""), "nan"}}) {
        const auto force = limit(one_of(unlimited, 2, step));
        force->attach(particles, 0);
        EXPECT_EQ(message_of([&] { force->allowed_steps(particles, 0, {}, nullptr, steps); }),
                  "the limit has returned the step " + std::string(text) +
                      " for the particle of id 2: allowed is above 0, or infinite");
    }
    const auto three = limit([](const ParticleSet&, double, const ActiveRows&) { return std::vector<double>(3, 1); });
    three->attach(particles, 0);
    EXPECT_EQ(message_of([&] { three->allowed_steps(particles, 0, {}, nullptr, steps); }),
              "the limit has returned 3 steps: allowed is one for each of 4 particles");
}

TEST(StepLimit, makes_chosen_steps_shorter) {
    Simulation sim(moving_plummer(20), std::nullopt);
    sim.add_force(limit(one_of(unlimited, 7, 0.01)));
    EXPECT_EQ(sim.longest_step(), 0.01);
    sim.run_steps(100);
    EXPECT_DOUBLE_EQ(sim.timestep(), 0.01);
}

// The slow particles do not act on the fast one strongly: they keep their steps, although its own is limited.
TEST(StepLimit, gives_one_particle_of_individual_steps_shorter_ones) {
    const auto particles = moving_plummer(200);
    Simulation sim(particles, 1.0 / 16);
    sim.set_individual_steps(0.025);
    sim.add_force(gravity(0.05, 1, {.accuracy = 1e-3}));
    sim.add_force(limit(one_of(unlimited, 7, 1.0 / 16 / 200)));
    for (int step = 0; step < 3; ++step) {
        sim.step();
        EXPECT_EQ(sim.rung_use()->particles[8], 1U);
        for (std::size_t row = 0; row < 200; ++row)
            EXPECT_EQ((*particles)[rung][row] == 8, (*particles)[id][row] == 7) << row;
    }
}

TEST(StepLimit, alone_leaves_particles_in_free_flight) {
    for (const bool individual : {false, true}) {
        const auto particles = moving_plummer(10), start = copy_of(*particles);
        for (auto& a : (*particles)[acceleration]) a = {1, 1, 1};  // as from a file
        Simulation sim(particles, 0.25);
        sim.keep_order(true);
        if (individual) sim.set_individual_steps(0.025);
        sim.add_force(limit(one_of(1, 3, 0.01)));
        sim.run_steps(2);
        for (std::size_t row = 0; row < 10; ++row) {
            EXPECT_EQ((*particles)[velocity][row], (*start)[velocity][row]);
            const Vec3<double> moved = (*particles)[position][row] - (*start)[position][row];
            EXPECT_NEAR(moved.x, 0.5 * (*start)[velocity][row].x, 1e-14);
        }
        EXPECT_EQ(sim.force_error(10, 1).maximum, 0);
    }
}

}  // namespace trellis::step_limit_test
