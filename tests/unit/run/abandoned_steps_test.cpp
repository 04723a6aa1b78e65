// Longest steps of individual steps that are abandoned, and begun again.
#include <gtest/gtest.h>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/integrate/rungs/step_abandoned.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::abandoned_steps_test {

constexpr std::uint64_t steps = 3;

std::unique_ptr<Simulation> individual(std::shared_ptr<ParticleSet> particles, std::shared_ptr<Comm> comm = world()) {
    auto sim = std::make_unique<Simulation>(std::move(particles), 1.0 / 16, std::move(comm));
    sim->set_individual_steps(0.025);
    sim->add_force(gravity(0.01, 1, {.accuracy = 1e-4}));
    return sim;
}

// True once, at a question.
std::function<bool()> at_question(int number) {
    return [count = 0, number]() mutable { return ++count == number; };
}

TEST(AbandonedSteps, leave_all_as_it_was_and_go_on_to_the_bit) {
    const auto unbroken = moving_plummer(300);
    individual(unbroken)->run_steps(steps);
    for (const int question : {1, 2, 5, 12}) {
        const auto particles = moving_plummer(300);
        const auto sim = individual(particles);
        sim->step();
        const auto before = copy_of(*particles);
        sim->abandon_steps_when(at_question(question));
        EXPECT_THROW(sim->step(), StepAbandoned) << question;
        EXPECT_EQ(sim->step_count(), 1U);
        EXPECT_EQ(sim->time(), 1.0 / 16);
        expect_same_bits(*particles, *before);
        sim->run_steps(steps - 1);
        expect_same_bits(*particles, *unbroken);
    }
}

TEST(AbandonedSteps, are_abandoned_by_all_ranks_if_one_asks) {
    const auto start = moving_plummer(600);
    const auto end_of = [&](int question, bool everywhere) {
        const auto end = copy_of(*start);
        individual(end)->ensure_forces();  // adds the columns
        run_ranks(3, [&](Comm& comm) {
            const auto sim = individual(all_on_first(comm, *start), std::shared_ptr<Comm>(&comm, [](Comm*) {}));
            sim->step();
            if (question > 0) {
                if (everywhere || comm.rank() == 1) sim->abandon_steps_when(at_question(question));
                EXPECT_THROW(sim->step(), StepAbandoned) << question;
                sim->abandon_steps_when({});
            }
            sim->run_steps(steps - 1);
            put_by_id(sim->particles(), *end);
        });
        return end;
    };
    const auto unbroken = end_of(0, false);
    for (const int question : {1, 2, 4}) expect_same_bits(*end_of(question, false), *unbroken);
    for (const int question : {9, 20})
        expect_same_bits(*end_of(question, true), *unbroken);  // that one rank alone asks
}

}  // namespace trellis::abandoned_steps_test
